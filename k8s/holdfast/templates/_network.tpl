{{/* The host of baseUrl. */}}
{{- define "holdfast.publicHost" -}}
{{- regexFind "^[^:]+" (urlParse .Values.baseUrl).host -}}
{{- end -}}

{{/* The hosts of the Ingress, as JSON. */}}
{{- define "holdfast.ingressHosts" -}}
{{- $ingress := .Values.ingress -}}
{{- $ingress.hosts | default (list ($ingress.host | default (include "holdfast.publicHost" .))) | toJson -}}
{{- end -}}

{{- define "holdfast.egressToNats" -}}
{{- if eq .Values.nats.mode "bundled" -}}
- ports: [{ protocol: TCP, port: 4222 }]
  to:
    - podSelector:
        matchLabels:
          {{- include "holdfast.selectorLabels" . | nindent 10 }}
          app.kubernetes.io/component: nats
{{- else -}}
- ports:
    {{- range $url := splitList "," .Values.nats.external.urls }}
    - { protocol: TCP, port: {{ regexFind "[0-9]+$" (regexFind ":[0-9]+$" (trim $url)) | default "4222" }} }
    {{- end }}
  {{- with .Values.networkPolicy.natsTo }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
{{- end -}}

{{/* To the databases of a service: (dict "root" $ "name" service); as the owners to those of all with name "" */}}
{{- define "holdfast.egressToPostgresql" -}}
{{- $at := include "holdfast.databaseAddress" (dict "root" .root "service" .name) | fromJson -}}
{{- $ports := list -}}
{{- if .name -}}
{{- $ports = list $at.port -}}
{{- with include "holdfast.watermarksAt" . | fromJson }}{{ if .port }}{{ $ports = append $ports .port }}{{ end }}{{ end -}}
{{- else -}}
{{- range include "holdfast.databases" .root | fromJson }}{{ $ports = append $ports .at.port }}{{ end -}}
{{- end -}}
- ports:
    {{- range $ports | uniq }}
    - { protocol: TCP, port: {{ . }} }
    {{- end }}
  {{- if eq .root.Values.postgresql.mode "bundled" }}
  to:
    - podSelector:
        matchLabels:
          {{- include "holdfast.selectorLabels" .root | nindent 10 }}
          app.kubernetes.io/component: postgresql
  {{- else if eq .root.Values.postgresql.mode "cloudnativepg" }}
  to:
    - podSelector:
        matchExpressions:
          - key: cnpg.io/{{ ternary "poolerName" "cluster" (hasSuffix "-pooler" $at.host) }}
            operator: In
            values: [{{ include "holdfast.fullname" .root }}-postgresql{{ if hasSuffix "-pooler" $at.host }}-pooler{{ end }}]
    {{- if and (hasSuffix "-pooler" $at.host) .name (include "holdfast.readHost" .) }}
    - podSelector:
        matchExpressions:
          - key: cnpg.io/cluster
            operator: In
            values: [{{ include "holdfast.fullname" .root }}-postgresql]
    {{- end }}
  {{- else }}
  {{- with .root.Values.networkPolicy.postgresqlTo }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
{{- end -}}
