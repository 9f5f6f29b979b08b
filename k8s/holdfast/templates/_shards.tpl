{{/* Sets `scopes` of its argument, (dict "root" $), to a context for each shard: the root for `main`, and for each further
     shard a copy whose values are those of the shard. Every template of the chart renders a shard with it. */}}
{{- define "holdfast.setScopes" -}}
{{- $root := .root.main | default .root -}}
{{- $scopes := list $root -}}
{{- range $shard := $root.Values.shards -}}
{{- $values := deepCopy $root.Values -}}
{{- /* Nothing that names a server, a volume or a Secret of `main` may reach another shard. */ -}}
{{- $_ := mergeOverwrite $values.postgresql.external (dict "host" "" "readHost" "" "owner" (dict "existingSecret" "")) -}}
{{- $_ := set $values.postgresql.external "perService" dict -}}
{{- $external := $values.postgresql.external -}}
{{- range $certificate := list $external.clientCertificate $external.owner.clientCertificate -}}
{{- $_ := set $certificate "existingSecret" "" -}}
{{- end -}}
{{- range $storage := list $values.postgresql.bundled.storage $values.nats.bundled.storage -}}
{{- $_ := set $storage "existingClaim" "" -}}
{{- end -}}
{{- $_ := set $values.nats.external "urls" "" -}}
{{- $_ := mergeOverwrite $values.tls.existing (dict "nats" "" "postgresql" "") -}}
{{- $_ := set $values.secrets "existingSecret" "" -}}
{{- $_ := set $values.services.audit.checkpoints "existingClaim" "" -}}
{{- $values = mergeOverwrite $values (omit (deepCopy $shard) "name") -}}
{{- $scopes = append $scopes (dict "shard" $shard.name "main" $root "Values" $values "Release" $root.Release "Chart" $root.Chart "Files" $root.Files) -}}
{{- end -}}
{{- $_ := set . "scopes" $scopes -}}
{{- end -}}

{{/* Renders a template for each shard: (dict "root" $ "template" name) */}}
{{- define "holdfast.eachShard" -}}
{{- include "holdfast.setScopes" . -}}
{{- $template := .template -}}
{{- range .scopes }}
{{ include $template . }}
{{- end -}}
{{- end -}}

{{/* The services that run on a shard, as JSON: all on `main`. */}}
{{- define "holdfast.shardServices" -}}
{{- $shard := .shard -}}
{{- $services := dict -}}
{{- range $name, $service := (include "holdfast.table" . | fromJson).services -}}
{{- if or (not $shard) $service.sharded -}}
{{- $_ := set $services $name $service -}}
{{- end -}}
{{- end -}}
{{- $services | toJson -}}
{{- end -}}

{{/* The setting SHARDS: NATS of each further shard. Empty when there is none. */}}
{{- define "holdfast.shardsSetting" -}}
{{- $all := dict "root" . -}}
{{- include "holdfast.setScopes" $all -}}
{{- $pairs := list -}}
{{- range rest $all.scopes -}}
{{- $pairs = append $pairs (printf "%s=%s" .shard (include "holdfast.natsUrls" .)) -}}
{{- end -}}
{{- join ";" $pairs -}}
{{- end -}}

{{- define "holdfast.shardsEnv" -}}
{{- with include "holdfast.shardsSetting" . }}
- name: SHARDS
  value: {{ . | quote }}
{{- end }}
{{- end -}}

{{/* A service of a shard knows its shard, one that exists once knows all. (dict "root" $ "service" entry of the table) */}}
{{- define "holdfast.shardEnv" -}}
{{- if .root.Values.shards }}
{{- if .service.sharded }}
- { name: SHARD, value: {{ .root.shard | default "main" }} }
{{- else }}
{{- include "holdfast.shardsEnv" .root }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The services whose rollout a service waits for, as JSON: full name of the service → name of the init container. Those
     of its own shard; those of `main` if they exist once; those of all shards if only it exists once.
     (dict "root" $ "service" entry of the table) */}}
{{- define "holdfast.rolloutBefore" -}}
{{- $after := .service.after -}}
{{- $before := index (include "holdfast.table" .root | fromJson).services $after -}}
{{- $scopes := list .root -}}
{{- if and .root.main (not $before.sharded) -}}
{{- $scopes = list .root.main -}}
{{- else if and $before.sharded (not .service.sharded) -}}
{{- $all := dict "root" .root -}}
{{- include "holdfast.setScopes" $all -}}
{{- $scopes = $all.scopes -}}
{{- end -}}
{{- $names := dict -}}
{{- range $scopes -}}
{{- $_ := set $names (printf "%s-%s" (include "holdfast.fullname" .) $after) (ternary (printf "order-%s" .shard) "order" (and (not $.root.main) (not (empty .shard)))) -}}
{{- end -}}
{{- $names | toJson -}}
{{- end -}}
