{{/* What Kubernetes would refuse, or what would take something from a service, in the values of one service. As JSON:
     { list }. (dict "name" name "settings" settings of the service) */}}
{{- define "holdfast.workloadProblems" -}}
{{- $problems := list -}}
{{- $name := .name -}}
{{- $s := .settings -}}
{{- range $value := list "strategy" "updateStrategy" -}}
{{- $given := index $s $value -}}
{{- $type := $given.type | default "RollingUpdate" -}}
{{- if and (ne $type "RollingUpdate") $given.rollingUpdate -}}
{{- $problems = append $problems (printf "%s: %s.rollingUpdate is for the type RollingUpdate, and %s.type is %s." $name $value $value $type) -}}
{{- end -}}
{{- end -}}
{{- $rolling := $s.strategy.rollingUpdate | default dict -}}
{{- $none := list "0" "0%" -}}
{{- if and (has (toString $rolling.maxSurge) $none) (has (toString $rolling.maxUnavailable) $none) -}}
{{- $problems = append $problems (printf "%s: strategy.rollingUpdate has maxSurge 0 and maxUnavailable 0, so that no pod could be replaced." $name) -}}
{{- end -}}
{{- range $probe, $given := $s.probes -}}
{{- $handlers := keys (pick $given "exec" "grpc" "httpGet" "tcpSocket") | sortAlpha -}}
{{- if gt (len $handlers) 1 -}}
{{- $problems = append $problems (printf "%s: probes.%s has %s, and Kubernetes accepts one handler. Remove the others, also from defaults." $name $probe (join " and " $handlers)) -}}
{{- end -}}
{{- if and (ne $probe "readiness") (ne (int ($given.successThreshold | default 1)) 1) -}}
{{- $problems = append $problems (printf "%s: probes.%s.successThreshold is %d. Kubernetes accepts 1 only." $name $probe (int $given.successThreshold)) -}}
{{- end -}}
{{- end -}}
{{- if and $s.lifecycle.preStop (gt (int $s.preStopSeconds) 0) -}}
{{- $problems = append $problems (printf "%s: lifecycle.preStop replaces the wait of preStopSeconds (%d), for which a pod that ends still accepts requests. Set preStopSeconds to 0, and let the hook wait as long." $name (int $s.preStopSeconds)) -}}
{{- else if and (not $s.lifecycle.preStop) (eq (int $s.preStopSeconds) 0) -}}
{{- $problems = append $problems (printf "%s: preStopSeconds is 0, and there is no lifecycle.preStop: a pod that ends would refuse requests before the load balancer has noticed." $name) -}}
{{- end -}}
{{- dict "list" (default list $problems) | toJson -}}
{{- end -}}

{{/* The same of bundled servers, and of client certificates, of one shard. */}}
{{- define "holdfast.serverProblems" -}}
{{- $problems := list -}}
{{- $v := .Values -}}
{{- range $server, $values := dict "nats" $v.nats "postgresql" $v.postgresql -}}
{{- $given := $values.bundled.updateStrategy -}}
{{- if and (eq ($given.type | default "") "OnDelete") $given.rollingUpdate -}}
{{- $problems = append $problems (printf "%s.bundled.updateStrategy.rollingUpdate is for the type RollingUpdate, and its type is OnDelete." $server) -}}
{{- end -}}
{{- end -}}
{{- if and (eq $v.nats.mode "bundled") $v.nats.bundled.storage.existingClaim (gt (int $v.nats.bundled.replicas) 1) -}}
{{- $problems = append $problems (printf "nats.bundled.storage.existingClaim is %s, and there are %d servers, each with a volume of its own. Remove it, and name the claims data-%s-nats-0 and so on before the installation: docs/deploy.md." $v.nats.bundled.storage.existingClaim (int $v.nats.bundled.replicas) (include "holdfast.fullname" .)) -}}
{{- end -}}
{{- $external := $v.postgresql.external -}}
{{- $certificates := dict "clientCertificate" $external.clientCertificate "owner.clientCertificate" $external.owner.clientCertificate -}}
{{- range $name, $service := $external.perService -}}
{{- $_ := set $certificates (printf "perService.%s.clientCertificate" $name) (dig "clientCertificate" dict $service) -}}
{{- end -}}
{{- range $name, $certificate := $certificates -}}
{{- if and $certificate.existingSecret (ne $v.postgresql.mode "external") -}}
{{- $problems = append $problems (printf "postgresql.external.%s names a Secret, and postgresql.mode is %s. Set the mode to external, or remove it." $name $v.postgresql.mode) -}}
{{- else if and $certificate.existingSecret (not $external.tls) -}}
{{- $problems = append $problems (printf "postgresql.external.%s names a Secret, and postgresql.external.tls is false. A client certificate needs TLS: set it to true." $name) -}}
{{- end -}}
{{- end -}}
{{- dict "list" (default list $problems) | toJson -}}
{{- end -}}

{{/* Labels and annotations that would take objects from the chart or from Helm, and what is wrong with the Ingress. */}}
{{- define "holdfast.objectProblems" -}}
{{- $problems := list -}}
{{- $v := .Values -}}
{{- $labels := dict "defaults" $v.defaults.podLabels "jobs" $v.jobs.podLabels "nats.bundled" $v.nats.bundled.podLabels "postgresql.bundled" $v.postgresql.bundled.podLabels -}}
{{- range $name, $service := $v.services -}}{{- $_ := set $labels (printf "services.%s" $name) (dig "podLabels" dict ($service | default dict)) -}}{{- end -}}
{{- range $path, $given := $labels -}}
{{- range keys $given | sortAlpha -}}
{{- if has . (include "holdfast.podLabelNames" $ | fromJsonArray) -}}
{{- $problems = append $problems (printf "%s.podLabels has %s, by which the chart finds its pods. Remove it." $path .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range keys $v.commonAnnotations | sortAlpha -}}
{{- if hasPrefix "helm.sh/hook" . -}}
{{- $problems = append $problems (printf "commonAnnotations has %s, which would make every object of the release a hook. Remove it." .) -}}
{{- end -}}
{{- end -}}
{{- $ingress := $v.ingress -}}
{{- if and $ingress.host $ingress.hosts -}}
{{- $problems = append $problems "ingress.host and ingress.hosts are set. List all hosts in ingress.hosts, and remove ingress.host." -}}
{{- end -}}
{{- if and $ingress.tls.entries $ingress.tls.secretName -}}
{{- $problems = append $problems "ingress.tls.entries and ingress.tls.secretName are set. Entries name their Secrets themselves: remove ingress.tls.secretName." -}}
{{- end -}}
{{- if $ingress.enabled -}}
{{- $hosts := include "holdfast.ingressHosts" . | fromJsonArray -}}
{{- range $hosts -}}
{{- if or (regexMatch "^[0-9.]+$" .) (not (regexMatch "^([*][.])?[a-z0-9]([a-z0-9-]*[a-z0-9])?([.][a-z0-9]([a-z0-9-]*[a-z0-9])?)*$" .)) -}}
{{- $problems = append $problems (printf "ingress: the host %q is no name such as id.example.com, without scheme and port and in lower case." .) -}}
{{- end -}}
{{- end -}}
{{- if ne (len $hosts) (len (uniq $hosts)) -}}
{{- $problems = append $problems "ingress.hosts has a host twice." -}}
{{- end -}}
{{- end -}}
{{- dict "list" (default list $problems) | toJson -}}
{{- end -}}
