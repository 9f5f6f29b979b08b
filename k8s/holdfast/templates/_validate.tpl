{{/* Values that contradict each other stop the rendering, with what to do. */}}
{{- define "holdfast.validate" -}}
{{- $v := .Values -}}
{{- $problems := (include "holdfast.problems" . | fromJson).list -}}
{{- $problems = concat $problems (include "holdfast.shardProblems" . | fromJson).list -}}
{{- $problems = concat $problems (include "holdfast.sharedComputedProblems" . | fromJson).list -}}
{{- $problems = concat $problems (include "holdfast.objectProblems" . | fromJson).list -}}
{{- if not (regexMatch "^https?://([a-z0-9]([a-z0-9.-]*[a-z0-9])?|\\[[0-9a-f:]+\\])(:[1-9][0-9]{0,4})?$" $v.baseUrl) -}}
{{- $problems = append $problems "baseUrl must be the public address of Holdfast without a path and in lower case, such as https://id.example.com. Links, issuers and tokens begin with it, so it cannot be changed later." -}}
{{- end -}}
{{- if and $v.gatewayApi.enabled (not $v.gatewayApi.parentRefs) -}}
{{- $problems = append $problems "gatewayApi.enabled is true, and gatewayApi.parentRefs names no Gateway that the route attaches to." -}}
{{- end -}}
{{- if and (not $v.serviceAccount.create) (not $v.serviceAccount.name) -}}
{{- $problems = append $problems "serviceAccount.create is false, and serviceAccount.name is empty." -}}
{{- end -}}
{{- $known := keys (include "holdfast.table" . | fromJson).services -}}
{{- range $name, $_ := $v.services -}}
{{- if not (has $name $known) -}}
{{- $problems = append $problems (printf "services.%s: there is no such service. They are %s." $name (join ", " (sortAlpha $known))) -}}
{{- end -}}
{{- end -}}
{{- if $problems -}}
{{- fail (printf "\n\nThe values contradict each other or are incomplete:\n- %s\n" (join "\n- " $problems)) -}}
{{- end -}}
{{- end -}}

{{/* What contradicts itself in the values of one shard, as JSON: { list }. */}}
{{- define "holdfast.problems" -}}
{{- $v := .Values -}}
{{- $problems := list -}}
{{- if and (eq $v.secrets.mode "existing") (not $v.secrets.existingSecret) -}}
{{- $problems = append $problems "secrets.mode is existing, and secrets.existingSecret names no Secret. docs/reference/secrets.md lists the keys that it must have." -}}
{{- end -}}
{{- if and (eq $v.secrets.mode "generated") $v.secrets.existingSecret -}}
{{- $problems = append $problems (printf "secrets.existingSecret is %s, and secrets.mode is generated. Set secrets.mode to existing, or remove the name." $v.secrets.existingSecret) -}}
{{- end -}}
{{- if eq $v.postgresql.mode "external" -}}
{{- $external := $v.postgresql.external -}}
{{- $databases := include "holdfast.databases" . | fromJson -}}
{{- if and (hasKey $databases "") (not $external.owner.existingSecret) -}}
{{- $problems = append $problems "postgresql.mode is external, and postgresql.external.owner.existingSecret names no Secret with the URL of the database's owner. Create one, or use postgresql.mode cloudnativepg or bundled." -}}
{{- end -}}
{{- range $name, $service := (include "holdfast.table" . | fromJson).services -}}
{{- if and $service.database (not $external.host) (not (dig $name "host" "" $external.perService)) -}}
{{- $problems = append $problems (printf "postgresql.external has no host for %s: set postgresql.external.host, or postgresql.external.perService.%s.host." $name $name) -}}
{{- end -}}
{{- end -}}
{{- if and $external.ca.existingSecret (not $external.tls) -}}
{{- $problems = append $problems "postgresql.external.ca names a Secret, and postgresql.external.tls is false. With false nothing is verified: set it to true." -}}
{{- end -}}
{{- else if $v.postgresql.external.host -}}
{{- $problems = append $problems (printf "postgresql.external.host is set, and postgresql.mode is %s. Set the mode to external, or remove the host." $v.postgresql.mode) -}}
{{- end -}}
{{- if eq $v.nats.mode "external" -}}
{{- if not $v.nats.external.urls -}}
{{- $problems = append $problems "nats.mode is external, and nats.external.urls is empty. Set it, such as tls://nats.example.com:4222." -}}
{{- end -}}
{{- if and $v.nats.external.ca.existingSecret (not (contains "tls://" $v.nats.external.urls)) -}}
{{- $problems = append $problems "nats.external.ca names a Secret, and nats.external.urls has no tls:// address, so nothing would be verified." -}}
{{- end -}}
{{- else -}}
{{- if not (has (int $v.nats.bundled.replicas) (list 1 3)) -}}
{{- $problems = append $problems (printf "nats.bundled.replicas is %d. JetStream needs a majority: use 1, or 3 to survive the loss of a server." (int $v.nats.bundled.replicas)) -}}
{{- end -}}
{{- if gt (int (include "holdfast.streamReplicas" .)) (int $v.nats.bundled.replicas) -}}
{{- $problems = append $problems (printf "nats.streamReplicas is %s, and there are %d servers." (include "holdfast.streamReplicas" .) (int $v.nats.bundled.replicas)) -}}
{{- end -}}
{{- if $v.nats.external.urls -}}
{{- $problems = append $problems "nats.external.urls is set, and nats.mode is bundled. Set the mode to external, or remove the addresses." -}}
{{- end -}}
{{- end -}}
{{- if eq $v.tls.mode "existing" -}}
{{- range $name, $_ := include "holdfast.certificateNames" . | fromJson -}}
{{- if not (index $v.tls.existing $name) -}}
{{- $problems = append $problems (printf "tls.mode is existing, and tls.existing.%s names no Secret with tls.crt, tls.key and ca.crt." $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range keys .Values.jobs.podSpec | sortAlpha -}}
{{- /* Pods of Jobs have no value for these three. */ -}}
{{- if has . (without (include "holdfast.podMembers" $ | fromJsonArray) "affinity" "dnsConfig" "topologySpreadConstraints") -}}
{{- $problems = append $problems (printf "jobs.podSpec.%s would stand twice in the spec of these pods, which the chart sets by a value of its own." .) -}}
{{- end -}}
{{- end -}}
{{- range $name, $service := include "holdfast.shardServices" . | fromJson -}}
{{- $s := include "holdfast.settings" (dict "root" $ "service" $name) | fromJson -}}
{{- $successor := int (include "holdfast.successorSeconds" (dict "service" $service "settings" $s)) -}}
{{- $handOver := ternary (add $successor 10) 0 (gt $successor 0) | int -}}
{{- if lt (int $s.terminationGracePeriodSeconds) (add (int $s.preStopSeconds) $handOver 20 | int) -}}
{{- $problems = append $problems (printf "%s: terminationGracePeriodSeconds is %d, and a pod needs preStopSeconds (%d), %d s until its successor is ready (successorSeconds), and 20 s to finish its requests." $name (int $s.terminationGracePeriodSeconds) (int $s.preStopSeconds) $handOver) -}}
{{- end -}}
{{- if and $s.autoscaling.enabled (gt (int $s.autoscaling.minReplicas) (int $s.autoscaling.maxReplicas)) -}}
{{- $problems = append $problems (printf "%s: autoscaling.minReplicas (%d) exceeds autoscaling.maxReplicas (%d)." $name (int $s.autoscaling.minReplicas) (int $s.autoscaling.maxReplicas)) -}}
{{- end -}}
{{- if and $s.autoscaling.requestRate.enabled (not $s.autoscaling.enabled) -}}
{{- $problems = append $problems (printf "%s: autoscaling.requestRate is enabled, and autoscaling is not." $name) -}}
{{- end -}}
{{- if and $s.autoscaling.load.enabled (not $s.autoscaling.enabled) -}}
{{- $problems = append $problems (printf "%s: autoscaling.load is enabled, and autoscaling is not." $name) -}}
{{- end -}}
{{- range keys $s.podSpec | sortAlpha -}}
{{- if has . (include "holdfast.podMembers" $ | fromJsonArray) -}}
{{- $problems = append $problems (printf "%s: podSpec.%s would stand twice in the spec of its pods, which the chart sets by a value of its own." $name .) -}}
{{- end -}}
{{- end -}}
{{- $problems = concat $problems (include "holdfast.workloadProblems" (dict "name" $name "settings" $s) | fromJson).list -}}
{{- $least := toString $s.podDisruptionBudget.minAvailable -}}
{{- $replicas := ternary (int $s.autoscaling.minReplicas) (int $s.replicas) $s.autoscaling.enabled -}}
{{- if or (eq $least "100%") (and (regexMatch "^[0-9]+$" $least) (ge (int $least) $replicas)) -}}
{{- $problems = append $problems (printf "%s: podDisruptionBudget.minAvailable %s blocks every drain of a node." $name $least) -}}
{{- end -}}
{{- if eq (toString $s.podDisruptionBudget.maxUnavailable) "0" -}}
{{- $problems = append $problems (printf "%s: podDisruptionBudget.maxUnavailable 0 blocks every drain of a node." $name) -}}
{{- end -}}
{{- end -}}
{{- $problems = concat $problems (include "holdfast.computedProblems" . | fromJson).list -}}
{{- $problems = concat $problems (include "holdfast.serverProblems" . | fromJson).list -}}
{{- dict "list" (default list $problems) | toJson -}}
{{- end -}}

{{/* What is wrong with the further shards, as JSON: { list }. */}}
{{- define "holdfast.shardProblems" -}}
{{- $problems := list -}}
{{- $all := dict "root" . -}}
{{- include "holdfast.setScopes" $all -}}
{{- $claim := dig "checkpoints" "existingClaim" "" .Values.services.audit -}}
{{- $names := list "main" -}}
{{- $databases := dict -}}
{{- $servers := dict -}}
{{- $claims := dict -}}
{{- range $scope := $all.scopes -}}
{{- $shard := .shard | default "main" -}}
{{- if .main -}}
{{- if not (regexMatch "^[a-z]([a-z0-9-]{0,29}[a-z0-9])?$" $shard) -}}
{{- $problems = append $problems (printf "shards: the name %q is no DNS label. It must be 1 to 31 lower-case letters, digits or hyphens, and begin with a letter." $shard) -}}
{{- else if eq $shard "main" -}}
{{- $problems = append $problems "shards names main, which is the first shard: its settings are `postgresql`, `nats` and `services`. List further shards only." -}}
{{- else if has $shard $names -}}
{{- $problems = append $problems (printf "shards names %s twice. Each shard needs a name of its own." $shard) -}}
{{- end -}}
{{- $full := include "holdfast.fullname" . -}}
{{- if gt (len $full) 38 -}}
{{- $problems = append $problems (printf "shards: resources of %s would begin with %s, which is longer than 38 characters, so that Kubernetes would refuse names of Jobs. Set a shorter fullnameOverride or name." $shard $full) -}}
{{- end -}}
{{- range (include "holdfast.problems" . | fromJson).list -}}
{{- $problems = append $problems (printf "shard %s: %s" $shard .) -}}
{{- end -}}
{{- if and $claim (eq $claim (dig "checkpoints" "existingClaim" "" .Values.services.audit)) -}}
{{- $problems = append $problems (printf "shard %s: services.audit.checkpoints.existingClaim is %s, as on main. Audit of each shard needs a folder of its own." $shard $claim) -}}
{{- end -}}
{{- end -}}
{{- range include "holdfast.databases" . | fromJson -}}
{{- $at := printf "%s:%v/%s" .at.host .at.port .at.database -}}
{{- if and .at.host (hasKey $databases $at) (ne (index $databases $at) $shard) -}}
{{- $problems = append $problems (printf "The shards %s and %s have one database, %s. Each shard needs a PostgreSQL of its own." (index $databases $at) $shard $at) -}}
{{- end -}}
{{- $_ := set $databases $at $shard -}}
{{- end -}}
{{- range splitList "," (include "holdfast.natsUrls" .) -}}
{{- if and . (hasKey $servers .) (ne (index $servers .) $shard) -}}
{{- $problems = append $problems (printf "The shards %s and %s have one NATS, %s. Each shard needs a NATS of its own." (index $servers .) $shard .) -}}
{{- end -}}
{{- $_ := set $servers . $shard -}}
{{- end -}}
{{- range $server, $values := dict "nats" .Values.nats "postgresql" .Values.postgresql -}}
{{- with $values.bundled.storage.existingClaim -}}
{{- $place := printf "%s of %s" $server $shard -}}
{{- if hasKey $claims . -}}
{{- $problems = append $problems (printf "%s and %s have the claim %s. Each server needs a volume of its own." (index $claims .) $place .) -}}
{{- end -}}
{{- $_ := set $claims . $place -}}
{{- end -}}
{{- end -}}
{{- $names = append $names $shard -}}
{{- end -}}
{{- dict "list" (default list $problems) | toJson -}}
{{- end -}}

{{/* Members of a pod's spec that the chart sets. */}}
{{- define "holdfast.podMembers" -}}
["affinity","automountServiceAccountToken","containers","dnsConfig","enableServiceLinks","hostAliases","imagePullSecrets","initContainers","nodeSelector","priorityClassName","restartPolicy","securityContext","serviceAccountName","terminationGracePeriodSeconds","tolerations","topologySpreadConstraints","volumes"]
{{- end -}}
