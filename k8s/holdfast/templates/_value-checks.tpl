{{/* Values that would fail in the cluster only, after the installation has begun. */}}

{{/* A size as a whole number of bytes; -1 when it is none. JetStream's sizes (8GB) count in powers of 1024. */}}
{{- define "holdfast.bytes" -}}
{{- $text := toString . -}}
{{- $number := regexFind "^[0-9]+([.][0-9]+)?" $text -}}
{{- $unit := trimPrefix $number $text -}}
{{- $steps := dict "" 0 "K" 1 "M" 2 "G" 3 "T" 4 "P" 5 -}}
{{- $step := $unit | trimSuffix "B" | trimSuffix "i" | upper -}}
{{- if or (eq $number "") (not (hasKey $steps $step)) -}}
-1
{{- else -}}
{{- $base := ternary 1000.0 1024.0 (has $unit (list "k" "K" "M" "G" "T" "P")) -}}
{{- $bytes := float64 $number -}}
{{- range $_ := until (int (index $steps $step)) -}}
{{- $bytes = mulf $bytes $base -}}
{{- end -}}
{{- int64 $bytes -}}
{{- end -}}
{{- end -}}

{{- define "holdfast.millicores" -}}
{{- $text := toString . -}}
{{- if hasSuffix "m" $text -}}{{ int64 (trimSuffix "m" $text) }}{{- else -}}{{ int64 (mulf (float64 $text) 1000.0) }}{{- end -}}
{{- end -}}

{{/* What is wrong with a cron line of `fields` fields; empty when it is one, or is empty. */}}
{{- define "holdfast.cronProblem" -}}
{{- $line := trim .line -}}
{{- if and $line (not (regexMatch "^@(hourly|daily|midnight|weekly|monthly|yearly|annually|every [0-9]+[smh])$" $line)) -}}
{{- $fields := regexSplit "[ \t]+" $line -1 -}}
{{- if ne (len $fields) (int .fields) -}}
it has {{ len $fields }} fields instead of {{ .fields }}
{{- else -}}
{{- $all := list (list "second" 59) (list "minute" 59) (list "hour" 23) (list "day of the month" 31) (list "month" 12) (list "day of the week" 7) -}}
{{- $rules := ternary $all (rest $all) (eq (int .fields) 6) -}}
{{- $wrong := list -}}
{{- range $i, $field := $fields -}}
{{- $rule := index $rules $i -}}
{{- $one := "([*?]|[0-9]{1,2}(-[0-9]{1,2})?|[A-Za-z]{3}(-[A-Za-z]{3})?)(/[1-9][0-9]?)?" -}}
{{- $isWrong := not (regexMatch (printf "^%s(,%s)*$" $one $one) $field) -}}
{{- range regexFindAll "[0-9]+" $field -1 -}}
{{- if gt (atoi .) (int (index $rule 1)) -}}{{- $isWrong = true -}}{{- end -}}
{{- end -}}
{{- if $isWrong -}}{{- $wrong = append $wrong (printf "%q is no %s" $field (first $rule)) -}}{{- end -}}
{{- end -}}
{{- join ", " $wrong -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* "true" for an address with or without the length of a prefix. */}}
{{- define "holdfast.isNetwork" -}}
{{- $parts := splitList "/" . -}}
{{- $address := first $parts -}}
{{- $isV4 := regexMatch "^((25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])[.]){3}(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])$" $address -}}
{{- $isV6 := and (contains ":" $address) (regexMatch "^[0-9A-Fa-f:.]+$" $address) (not (contains ":::" $address)) -}}
{{- $length := "0" -}}
{{- if gt (len $parts) 1 -}}{{- $length = index $parts 1 -}}{{- end -}}
{{- and (or $isV4 $isV6) (le (len $parts) 2) (regexMatch "^[0-9]{1,3}$" $length) (le (atoi $length) (ternary 32 128 $isV4)) -}}
{{- end -}}

{{/* Of one container: limits that are below the requests. As JSON: { list }. */}}
{{- define "holdfast.resourceProblems" -}}
{{- $problems := list -}}
{{- $name := .name -}}
{{- $limits := dig "limits" dict .resources -}}
{{- $requests := dig "requests" dict .resources -}}
{{- if and $limits.memory $requests.memory (lt (include "holdfast.bytes" $limits.memory | int64) (include "holdfast.bytes" $requests.memory | int64)) -}}
{{- $problems = append $problems (printf "%s: the limit of memory (%v) is below its request (%v), so that Kubernetes refuses the pod." $name $limits.memory $requests.memory) -}}
{{- end -}}
{{- if and $limits.cpu $requests.cpu (lt (include "holdfast.millicores" $limits.cpu | int64) (include "holdfast.millicores" $requests.cpu | int64)) -}}
{{- $problems = append $problems (printf "%s: the limit of CPU (%v) is below its request (%v), so that Kubernetes refuses the pod." $name $limits.cpu $requests.cpu) -}}
{{- end -}}
{{- range $kind, $of := dict "limit" $limits "request" $requests -}}
{{- if and $of.memory (lt (include "holdfast.bytes" $of.memory | int64) 0) -}}
{{- $problems = append $problems (printf "%s: the %s of memory, %v, is no size such as 512Mi." $name $kind $of.memory) -}}
{{- end -}}
{{- end -}}
{{- dict "list" (default list $problems) | toJson -}}
{{- end -}}

{{/* "true" for a variable that Node.js or a library reads, and no service. */}}
{{- define "holdfast.isOfLibraries" -}}
{{- regexMatch "^(NODE|OTEL|UV)_|^TZ$|_PROXY$" . -}}
{{- end -}}

{{/* Environment variables of a service that are unknown, or that would stand twice. As JSON: { list }. */}}
{{- define "holdfast.envProblems" -}}
{{- $problems := list -}}
{{- $name := .name -}}
{{- $own := .own -}}
{{- $fixed := list -}}
{{- range include "holdfast.chartEnv" (dict "root" .root "name" .name "service" .service) | fromYamlArray -}}{{- $fixed = append $fixed .name -}}{{- end -}}
{{- range $variable := sortAlpha (keys $own) -}}
{{- if and (not (has $variable $.service.settings)) (ne (include "holdfast.isOfLibraries" $variable) "true") -}}
{{- $problems = append $problems (printf "services.%s.env: %s has no setting %s. docs/reference/configuration.md lists them; other variables belong into extraEnv." $name $name $variable) -}}
{{- end -}}
{{- end -}}
{{- $seen := list -}}
{{- $seen = concat $seen (sortAlpha (keys .settings.env)) -}}
{{- range .settings.extraEnv -}}
{{- if has .name $seen -}}
{{- $problems = append $problems (printf "%s: the variable %s stands twice in env and extraEnv, and Kubernetes would use the last one." $name .name) -}}
{{- end -}}
{{- $seen = append $seen .name -}}
{{- end -}}
{{- range $seen -}}
{{- if has . $fixed -}}
{{- $problems = append $problems (printf "%s: the chart sets the variable %s by itself. Remove it from env and extraEnv." $name .) -}}
{{- end -}}
{{- end -}}
{{- dict "list" (default list $problems) | toJson -}}
{{- end -}}

{{/* What can be computed to fail, of one shard. As JSON: { list }. */}}
{{- define "holdfast.computedProblems" -}}
{{- $root := . -}}
{{- $v := .Values -}}
{{- $problems := list -}}
{{- $table := include "holdfast.table" . | fromJson -}}
{{- range $name, $service := include "holdfast.shardServices" . | fromJson -}}
{{- $s := include "holdfast.settings" (dict "root" $root "service" $name) | fromJson -}}
{{- $problems = concat $problems (include "holdfast.resourceProblems" (dict "name" $name "resources" $s.resources) | fromJson).list -}}
{{- $memory := dig "limits" "memory" "" $s.resources -}}
{{- $leastMib := add (int $table.heapMib) 64 -}}
{{- if and $memory (not (hasKey $s.env "NODE_OPTIONS")) (lt (include "holdfast.bytes" $memory | int64) (mul $leastMib 1048576)) -}}
{{- $problems = append $problems (printf "%s: the limit of memory is %v, and the heap alone may use %vMi: the pod would be killed under load. Set at least %dMi." $name $memory $table.heapMib $leastMib) -}}
{{- end -}}
{{- $own := dig $name "env" dict $v.services -}}
{{- $problems = concat $problems (include "holdfast.envProblems" (dict "root" $root "name" $name "service" $service "settings" $s "own" $own) | fromJson).list -}}
{{- if and $service.databasePool (not (dig $name "host" "" $v.postgresql.external.perService)) (not (and (eq $v.postgresql.mode "cloudnativepg") $v.postgresql.cloudnativepg.pooler.enabled)) -}}
{{- $pool := int (dig "DATABASE_POOL" $service.databasePool $s.env) -}}
{{- $replicas := ternary $s.autoscaling.maxReplicas $s.replicas $s.autoscaling.enabled | int -}}
{{- /* During an upgrade there is one replica more. */ -}}
{{- $needed := mul (add $replicas 1) $pool -}}
{{- if gt (int $needed) (int $v.postgresql.connectionsPerService) -}}
{{- $problems = append $problems (printf "%s: %d replicas and one more during an upgrade have %d connections each (DATABASE_POOL), and postgresql.connectionsPerService allows %d. Set it to %d or more, with as many of max_connections for each service, or lower DATABASE_POOL." $name $replicas $pool (int $v.postgresql.connectionsPerService) (int $needed)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if eq $v.nats.mode "bundled" -}}
{{- $nats := $v.nats.bundled -}}
{{- $store := include "holdfast.bytes" $nats.maxFileStore | int64 -}}
{{- $volume := include "holdfast.bytes" $nats.storage.size | int64 -}}
{{- if lt $store 0 -}}
{{- $problems = append $problems (printf "nats.bundled.maxFileStore is %v, which is no size such as 8GB." $nats.maxFileStore) -}}
{{- else if gt $store $volume -}}
{{- $problems = append $problems (printf "nats.bundled.maxFileStore is %v and exceeds its volume, nats.bundled.storage.size %v: JetStream would stop storing when the volume is full." $nats.maxFileStore $nats.storage.size) -}}
{{- end -}}
{{- if gt (int64 $v.nats.auditStream.maxBytes) $store -}}
{{- $problems = append $problems (printf "nats.auditStream.maxBytes is %d and exceeds nats.bundled.maxFileStore (%v)." (int64 $v.nats.auditStream.maxBytes) $nats.maxFileStore) -}}
{{- end -}}
{{- $problems = concat $problems (include "holdfast.resourceProblems" (dict "name" "nats" "resources" $nats.resources) | fromJson).list -}}
{{- end -}}
{{- if eq $v.postgresql.mode "bundled" -}}
{{- $problems = concat $problems (include "holdfast.resourceProblems" (dict "name" "postgresql" "resources" $v.postgresql.bundled.resources) | fromJson).list -}}
{{- end -}}
{{- dict "list" (default list $problems) | toJson -}}
{{- end -}}

{{/* The same, of what all shards share. */}}
{{- define "holdfast.sharedComputedProblems" -}}
{{- $v := .Values -}}
{{- $problems := list -}}
{{- $table := include "holdfast.table" . | fromJson -}}
{{- range $name := list "jobs" "cli" "backup" -}}
{{- $problems = concat $problems (include "holdfast.resourceProblems" (dict "name" $name "resources" (index $v $name "resources")) | fromJson).list -}}
{{- end -}}
{{- $known := list -}}
{{- range $table.services -}}{{- $known = concat $known .settings -}}{{- end -}}
{{- range $variable := sortAlpha (keys $v.defaults.env) -}}
{{- if and (not (has $variable $known)) (ne (include "holdfast.isOfLibraries" $variable) "true") -}}
{{- $problems = append $problems (printf "defaults.env: no service has a setting %s. docs/reference/configuration.md lists them; other variables belong into extraEnv." $variable) -}}
{{- end -}}
{{- end -}}
{{- $lines := list (list "backup.dumpSchedule" $v.backup.dumpSchedule 5) (list "backup.ledgerSchedule" $v.backup.ledgerSchedule 5) (list "backup.checkpointSchedule" $v.backup.checkpointSchedule 5) (list "maintenance.rewriteSchedule" $v.maintenance.rewriteSchedule 5) (list "postgresql.cloudnativepg.backupSchedule" $v.postgresql.cloudnativepg.backupSchedule 6) -}}
{{- range $line := $lines -}}
{{- with include "holdfast.cronProblem" (dict "line" (index $line 1) "fields" (index $line 2)) -}}
{{- $problems = append $problems (printf "%s is %q: %s." (first $line) (index $line 1) .) -}}
{{- end -}}
{{- end -}}
{{- $networks := dict "trustedProxies" $v.trustedProxies -}}
{{- range $name := list "cidrs" "except4" "except6" -}}
{{- $_ := set $networks (printf "networkPolicy.internet.%s" $name) (index $v.networkPolicy.internet $name) -}}
{{- end -}}
{{- range $name := list "gatewayFrom" "metricsFrom" "natsFrom" "dnsTo" "postgresqlTo" "natsTo" "kubernetesApiTo" -}}
{{- $cidrs := list -}}
{{- range index $v.networkPolicy $name -}}
{{- with .ipBlock -}}{{- $cidrs = concat (append $cidrs (.cidr | default "")) (.except | default list) -}}{{- end -}}
{{- end -}}
{{- $_ := set $networks (printf "networkPolicy.%s" $name) $cidrs -}}
{{- end -}}
{{- range $name := sortAlpha (keys $networks) -}}
{{- range index $networks $name -}}
{{- if ne (include "holdfast.isNetwork" (toString .)) "true" -}}
{{- $problems = append $problems (printf "%s: %v is no network such as 10.0.0.0/8." $name .) -}}
{{- else if and (ne $name "trustedProxies") (not (contains "/" (toString .))) -}}
{{- $problems = append $problems (printf "%s: %v needs the length of its prefix, such as %v/32." $name . .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $alerts := list -}}
{{- range $path, $_ := .Files.Glob "alerts/*.yaml" -}}
{{- range regexFindAll "alert: \\w+" ($.Files.Get $path) -1 -}}{{- $alerts = append $alerts (trimPrefix "alert: " .) -}}{{- end -}}
{{- end -}}
{{- range $v.monitoring.rules.disabled -}}
{{- if not (has . $alerts) -}}
{{- $problems = append $problems (printf "monitoring.rules.disabled: there is no alert %s. docs/runbook.md lists them." .) -}}
{{- end -}}
{{- end -}}
{{- if and $v.monitoring.rules.enabled (not (regexMatch "^https?://[^ ]+$" $v.monitoring.rules.docsUrl)) -}}
{{- $problems = append $problems (printf "monitoring.rules.docsUrl is %q, which is no address such as https://holdfast.example/docs." $v.monitoring.rules.docsUrl) -}}
{{- end -}}
{{- if and $v.service.nodePort (or (lt (int $v.service.nodePort) 30000) (gt (int $v.service.nodePort) 32767)) -}}
{{- $problems = append $problems (printf "service.nodePort is %d. Kubernetes takes 30000 to 32767 unless its API server is configured otherwise." (int $v.service.nodePort)) -}}
{{- end -}}
{{- range $member := list "type" "selector" "ports" "loadBalancerClass" -}}
{{- if hasKey $v.service.spec $member -}}
{{- $problems = append $problems (printf "service.spec has the member %s, which the chart sets by itself%s." $member (ternary "" (printf " (service.%s)" $member) (eq $member "selector"))) -}}
{{- end -}}
{{- end -}}
{{- $outbound := dict "defaults.env" $v.defaults.env -}}
{{- range $name, $service := $v.services -}}{{- $_ := set $outbound (printf "services.%s.env" $name) (dig "env" dict ($service | default dict)) -}}{{- end -}}
{{- range $name := sortAlpha (keys $outbound) -}}
{{- $ports := dig "OUTBOUND_PORTS" "443" (index $outbound $name) | toString -}}
{{- if not (regexMatch "^[0-9]{1,5}(, *[0-9]{1,5})*$" $ports) -}}
{{- $problems = append $problems (printf "%s: OUTBOUND_PORTS is %q, which is no list of ports such as 443,8443." $name $ports) -}}
{{- end -}}
{{- end -}}
{{- if and $v.service.nodePort (eq $v.service.type "ClusterIP") -}}
{{- $problems = append $problems "service.nodePort is set, and service.type is ClusterIP, which has no port on the nodes." -}}
{{- end -}}
{{- dict "list" (default list $problems) | toJson -}}
{{- end -}}
