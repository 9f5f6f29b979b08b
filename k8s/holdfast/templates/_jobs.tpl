{{- define "holdfast.jobPod" -}}
enableServiceLinks: false
restartPolicy: OnFailure
{{- include "holdfast.pullSecrets" . }}
{{- include "holdfast.hostAliases" . }}
{{- with .Values.jobs.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.jobs.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.jobs.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.jobs.podSpec }}
{{ toYaml . }}
{{- end }}
securityContext:
  {{- include "holdfast.podSecurity" (dict "root" . "user" 1000) | nindent 2 }}
{{- end -}}

{{/* Init containers of a pod that has none of its own. */}}
{{- define "holdfast.jobInitContainers" -}}
{{- with .Values.jobs.extraInitContainers }}
initContainers:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "holdfast.cliContainer" -}}
image: {{ include "holdfast.image" (dict "root" . "name" "cli") }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  {{- include "holdfast.containerSecurity" . | nindent 2 }}
{{- end -}}

{{- define "holdfast.jobContainer" -}}
{{ include "holdfast.cliContainer" . }}
resources:
  {{- toYaml .Values.jobs.resources | nindent 2 }}
{{- end -}}

{{- define "holdfast.setupJob" -}}
{{ include "holdfast.fullname" . }}-setup-{{ include "holdfast.setupSpec" . | sha256sum | trunc 8 }}
{{- end -}}

{{/* The Jobs of the release, of all shards, as JSON. Each has a hash in its name, because a Job cannot be changed. */}}
{{- define "holdfast.namedJobs" -}}
{{- $all := dict "root" . -}}
{{- include "holdfast.setScopes" $all -}}
{{- $names := list -}}
{{- range $all.scopes -}}
{{- $names = append $names (include "holdfast.setupJob" .) -}}
{{- with include "holdfast.backupVolumeJob" . -}}
{{- $names = append $names . -}}
{{- end -}}
{{- end -}}
{{- toJson $names -}}
{{- end -}}

{{/* Spec of the setup Job. Its name is a hash of it. */}}
{{- define "holdfast.setupSpec" -}}
{{- $root := . -}}
{{- $full := include "holdfast.fullname" . -}}
{{- $secret := include "holdfast.secretName" . -}}
{{- $shardSecret := include "holdfast.shardSecretName" . -}}
{{- $table := include "holdfast.table" . | fromJson -}}
{{- $owners := dict -}}
{{ include "holdfast.jobLimits" (dict "root" .) }}
template:
  {{- include "holdfast.jobMetadata" (dict "root" . "component" "setup") | nindent 2 }}
  spec:
    {{- include "holdfast.jobPod" . | nindent 4 }}
    automountServiceAccountToken: false
    initContainers:
      {{- with .Values.jobs.extraInitContainers }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
      - name: database
        {{- include "holdfast.jobContainer" . | nindent 8 }}
        args: [database, setup, --wait, "600"]
        env:
          {{- include "holdfast.ownerEnv" (dict "root" .) | trim | nindent 10 }}
          - { name: DB_CONNECTIONS, value: {{ .Values.postgresql.connectionsPerService | quote }} }
          {{- range $table.databasePasswords }}
          - name: {{ . }}
            valueFrom: { secretKeyRef: { name: {{ $shardSecret }}, key: {{ . }} } }
          {{- end }}
        {{- with include "holdfast.databaseMount" (dict "root" .) | trim }}
        volumeMounts:
          {{- . | nindent 10 }}
        {{- end }}
      - name: streams
        {{- include "holdfast.jobContainer" . | nindent 8 }}
        args:
          - bus
          - declare
          - --replicas
          - {{ include "holdfast.streamReplicas" . | quote }}
          - --audit-days
          - {{ .Values.nats.auditStream.maxDays | int64 | quote }}
          - --audit-bytes
          - {{ .Values.nats.auditStream.maxBytes | int64 | quote }}
        env:
          {{- include "holdfast.natsEnv" . | nindent 10 }}
          - name: NATS_NKEY_SEED
            valueFrom: { secretKeyRef: { name: {{ $secret }}, key: NATS_NKEY_SEED_DEPLOY } }
        {{- with include "holdfast.natsMount" . | trim }}
        volumeMounts:
          {{- . | nindent 10 }}
        {{- end }}
      {{- $services := list }}
      {{- range $name, $service := $table.services }}{{ if $service.database }}{{ $services = append $services $name }}{{ end }}{{ end }}
      {{- range $name := initial $services }}
      {{- include "holdfast.migration" (dict "root" $root "name" $name) | nindent 6 }}
      {{- end }}
    containers:
      {{- include "holdfast.migration" (dict "root" $root "name" (last $services)) | nindent 6 }}
    {{- $asOwner := dict "root" . }}
    {{- with printf "%s%s" (include "holdfast.databaseVolume" $asOwner) (include "holdfast.natsVolume" .) | trim }}
    volumes:
      {{- . | nindent 6 }}
    {{- end }}
{{- end -}}

{{- define "holdfast.migration" -}}
- name: migrate-{{ .name }}
  {{- include "holdfast.jobContainer" .root | nindent 2 }}
  command: [node, apps/{{ .name }}/dist/migrate.js]
  env:
    {{- include "holdfast.ownerEnv" (dict "root" .root "service" .name) | trim | nindent 4 }}
  {{- with include "holdfast.databaseMount" (dict "root" .root) | trim }}
  volumeMounts:
    {{- . | nindent 4 }}
  {{- end }}
{{- end -}}
