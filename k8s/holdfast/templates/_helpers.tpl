{{/* Prefix of all names; of another shard than `main` with its name. */}}
{{- define "holdfast.fullname" -}}
{{- if .main -}}
{{- printf "%s-%s" (include "holdfast.fullname" .main) .shard -}}
{{- else if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "holdfast.instance" -}}
{{- .Release.Name -}}{{- with .shard }}-{{ . }}{{- end -}}
{{- end -}}

{{/* Labels that select pods of a shard: they never change. */}}
{{- define "holdfast.selectorLabels" -}}
app.kubernetes.io/name: holdfast
app.kubernetes.io/instance: {{ include "holdfast.instance" . }}
{{- end -}}

{{/* Labels of an object of the chart; holdfast.metadata adds those of the user. */}}
{{- define "holdfast.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "holdfast.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: holdfast
{{- end -}}

{{/* What contracts say about each service, as JSON. */}}
{{- define "holdfast.table" -}}
{{- .Files.Get "files/services.json" -}}
{{- end -}}

{{/* Settings of one service: defaults with its own on top, as JSON. (dict "root" $ "service" name) */}}
{{- define "holdfast.settings" -}}
{{- mergeOverwrite (deepCopy .root.Values.defaults) (deepCopy (index .root.Values.services .service | default dict)) | toJson -}}
{{- end -}}

{{/* Image of Holdfast: (dict "root" $ "name" "gateway" "own" settings.image) */}}
{{- define "holdfast.image" -}}
{{- $image := .root.Values.image -}}
{{- $own := .own | default dict -}}
{{- $repository := $own.repository | default (printf "%s/%s" (trimSuffix "/" $image.prefix) .name) -}}
{{- $digest := $own.digest | default (index $image.digests .name) -}}
{{- if $digest -}}
{{- printf "%s@%s" $repository $digest -}}
{{- else -}}
{{- printf "%s:%s" $repository ($own.tag | default $image.tag | default .root.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{/* Another image: (dict "root" $ "image" image). An image prefix with a registry is for Holdfast's images only. */}}
{{- define "holdfast.otherImage" -}}
{{- if .digest -}}{{ printf "%s@%s" .repository .digest }}{{- else -}}{{ printf "%s:%s" .repository .tag }}{{- end -}}
{{- end -}}

{{- define "holdfast.pullSecrets" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ if kindIs "map" . }}{{ .name }}{{ else }}{{ . }}{{ end }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* (dict "root" $ "user" 1000) */}}
{{- define "holdfast.podSecurity" -}}
{{- $given := .root.Values.securityContext -}}
{{- $context := dict "runAsNonRoot" true "fsGroupChangePolicy" "OnRootMismatch" "seccompProfile" (dict "type" "RuntimeDefault") -}}
{{- if not $given.assignedUsers -}}
{{- $_ := mergeOverwrite $context (dict "runAsUser" .user "runAsGroup" .user "fsGroup" .user) -}}
{{- end -}}
{{- mergeOverwrite $context (deepCopy $given.pod) | toYaml -}}
{{- end -}}

{{- define "holdfast.containerSecurity" -}}
{{- $context := dict "allowPrivilegeEscalation" false "readOnlyRootFilesystem" true "capabilities" (dict "drop" (list "ALL")) -}}
{{- mergeOverwrite $context (deepCopy .Values.securityContext.container) | toYaml -}}
{{- end -}}

{{/* Metadata of a pod of a Job, or of the command line: (dict "root" $ "component" "setup") */}}
{{- define "holdfast.jobMetadata" -}}
metadata:
  labels:
    {{- include "holdfast.selectorLabels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
    {{- with .root.Values.jobs.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .root.Values.jobs.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{- define "holdfast.hostAliases" -}}
{{- with .Values.hostAliases }}
hostAliases:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "holdfast.hasExistingSecrets" -}}{{- if eq .Values.secrets.mode "existing" }}true{{ end -}}{{- end -}}

{{- define "holdfast.secretName" -}}
{{- include "holdfast.shardSecretName" (.main | default .) -}}
{{- end -}}

{{/* Secret with database passwords and the NKeys of the services of a shard. */}}
{{- define "holdfast.shardSecretName" -}}
{{- if eq .Values.secrets.mode "existing" -}}{{ .Values.secrets.existingSecret }}{{- else -}}{{ include "holdfast.fullname" . }}{{- end -}}
{{- end -}}

{{/* Secret with the certificate of a component: (dict "root" $ "name" "nats") */}}
{{- define "holdfast.certificate" -}}
{{- if eq .root.Values.tls.mode "existing" -}}
{{- index .root.Values.tls.existing .name -}}
{{- else -}}
{{- printf "%s-%s-tls" (include "holdfast.fullname" .root) .name -}}
{{- end -}}
{{- end -}}

{{- define "holdfast.hasTls" -}}{{- if ne .Values.tls.mode "disabled" }}true{{ end -}}{{- end -}}
{{/* Whether bundled servers of NATS join each other. */}}
{{- define "holdfast.hasNatsRoutes" -}}{{- if and (eq .Values.nats.mode "bundled") (gt (int .Values.nats.bundled.replicas) 1) }}true{{ end -}}{{- end -}}
{{- define "holdfast.hasMutualTls" -}}{{- if and (ne .Values.tls.mode "disabled") .Values.tls.gatewayToAuth }}true{{ end -}}{{- end -}}

{{/* The components of a shard with a certificate, and the names that it is for, as JSON: name → list. */}}
{{- define "holdfast.certificateNames" -}}
{{- $full := include "holdfast.fullname" . -}}
{{- $names := dict -}}
{{- if eq .Values.nats.mode "bundled" -}}
{{- $nats := printf "%s-nats" $full -}}
{{- $headless := printf "%s-nats-headless" $full -}}
{{- $all := list $nats (printf "%s.%s" $nats .Release.Namespace) (printf "%s.%s.svc" $nats .Release.Namespace) "localhost" -}}
{{- /* Of three servers in any case, and without a wildcard: not every client accepts one with two labels. */ -}}
{{- range $i := until 3 -}}
{{- range $server := list (printf "%s-%d.%s" $nats $i $headless) (printf "%s-%d" $nats $i) -}}
{{- $all = concat $all (list $server (printf "%s.%s" $server $.Release.Namespace) (printf "%s.%s.svc" $server $.Release.Namespace)) -}}
{{- end -}}
{{- end -}}
{{- $_ := set $names "nats" $all -}}
{{- end -}}
{{- if eq .Values.postgresql.mode "bundled" -}}
{{- $pg := printf "%s-postgresql" $full -}}
{{- $all := list -}}
{{- range $service := list $pg (printf "%s-rw" $pg) -}}
{{- $all = concat $all (list $service (printf "%s.%s" $service $.Release.Namespace) (printf "%s.%s.svc" $service $.Release.Namespace)) -}}
{{- end -}}
{{- $_ := set $names "postgresql" $all -}}
{{- end -}}
{{- if and .Values.tls.gatewayToAuth (not .main) -}}
{{- $auth := printf "%s-auth" $full -}}
{{- $_ := set $names "auth" (list $auth (printf "%s.%s" $auth .Release.Namespace) (printf "%s.%s.svc" $auth .Release.Namespace)) -}}
{{- $_ := set $names "gateway" (list (printf "%s-gateway" $full)) -}}
{{- end -}}
{{- $names | toJson -}}
{{- end -}}

{{/* The same for all shards: `eu2-nats` is that of NATS of the shard `eu2`. */}}
{{- define "holdfast.allCertificateNames" -}}
{{- $names := dict -}}
{{- $all := dict "root" . -}}
{{- include "holdfast.setScopes" $all -}}
{{- range $scope := $all.scopes -}}
{{- range $name, $for := include "holdfast.certificateNames" $scope | fromJson -}}
{{- $_ := set $names (ternary (printf "%s-%s" $scope.shard $name) $name (not (empty $scope.main))) $for -}}
{{- end -}}
{{- end -}}
{{- $names | toJson -}}
{{- end -}}

{{/*
Of several servers, each by a Service of its own, since clients spread over them. Cluster DNS remembers for up to 30 s
the address that the name of a pod had, or that it had none: after an upgrade of three servers, 10 s apart, no address
that a client knew was right (docs/adr/0070-silent-nats-servers.md).
*/}}
{{- define "holdfast.natsUrls" -}}
{{- if eq .Values.nats.mode "external" -}}
{{- .Values.nats.external.urls -}}
{{- else -}}
{{- $full := include "holdfast.fullname" . -}}
{{- $scheme := ternary "tls" "nats" (eq (include "holdfast.hasTls" .) "true") -}}
{{- $urls := list -}}
{{- range $i := until (int .Values.nats.bundled.replicas) -}}
{{- $urls = append $urls (printf "%s://%s-nats-%d:4222" $scheme $full $i) -}}
{{- end -}}
{{- if eq (len $urls) 1 -}}
{{- $urls = list (printf "%s://%s-nats:4222" $scheme $full) -}}
{{- end -}}
{{- join "," $urls -}}
{{- end -}}
{{- end -}}

{{- define "holdfast.streamReplicas" -}}
{{- .Values.nats.streamReplicas | default (ternary .Values.nats.bundled.replicas 1 (eq .Values.nats.mode "bundled")) -}}
{{- end -}}

{{/* Where the CA of NATS is: Secret and key, as JSON; {} without TLS, or with a public CA. */}}
{{- define "holdfast.natsCa" -}}
{{- if eq .Values.nats.mode "external" -}}
{{- $ca := .Values.nats.external.ca -}}{{- with $ca }}{{ if .existingSecret }}{{ dict "secret" .existingSecret "key" .key | toJson }}{{ else }}{}{{ end }}{{ end -}}
{{- else if include "holdfast.hasTls" . -}}
{{- dict "secret" (include "holdfast.certificate" (dict "root" . "name" "nats")) "key" "ca.crt" | toJson -}}
{{- else -}}{}{{- end -}}
{{- end -}}

{{- define "holdfast.databaseCa" -}}
{{- $pg := .Values.postgresql -}}
{{- if eq $pg.mode "external" -}}
{{- if $pg.external.ca.existingSecret }}{{ dict "secret" $pg.external.ca.existingSecret "key" $pg.external.ca.key | toJson }}{{ else }}{}{{ end -}}
{{- else if eq $pg.mode "cloudnativepg" -}}
{{- dict "secret" (printf "%s-postgresql-ca" (include "holdfast.fullname" .)) "key" "ca.crt" | toJson -}}
{{- else if include "holdfast.hasTls" . -}}
{{- dict "secret" (include "holdfast.certificate" (dict "root" . "name" "postgresql")) "key" "ca.crt" | toJson -}}
{{- else -}}{}{{- end -}}
{{- end -}}

{{/* Host, port and database of a service, as JSON: (dict "root" $ "service" name); the owner's with service "" */}}
{{- define "holdfast.databaseAddress" -}}
{{- $pg := .root.Values.postgresql -}}
{{- $full := include "holdfast.fullname" .root -}}
{{- if eq $pg.mode "external" -}}
{{- $own := index $pg.external.perService .service | default dict -}}
{{- dict "host" ($own.host | default $pg.external.host) "port" (int ($own.port | default $pg.external.port)) "database" ($own.database | default $pg.database) | toJson -}}
{{- else if eq $pg.mode "cloudnativepg" -}}
{{- $pooled := and (ne .service "") $pg.cloudnativepg.pooler.enabled -}}
{{- dict "host" (printf "%s-postgresql-%s" $full (ternary "pooler" "rw" $pooled)) "port" 5432 "database" $pg.database | toJson -}}
{{- else -}}
{{- /* A certificate of the operator's may be for the headless Service only. */ -}}
{{- dict "host" (printf "%s-postgresql%s" $full (ternary "" "-rw" (eq .root.Values.tls.mode "existing"))) "port" 5432 "database" $pg.database | toJson -}}
{{- end -}}
{{- end -}}

{{/* The databases of the release, as JSON: the first service of each → Secret and key of its owner's URL ({} for the
     owner of a database in the cluster), address, and services. A service with an owner of its own has one of its own. */}}
{{- define "holdfast.databases" -}}
{{- $root := . -}}
{{- $external := .Values.postgresql.external -}}
{{- $databases := dict -}}
{{- range $name, $service := (include "holdfast.table" . | fromJson).services -}}
{{- if $service.database -}}
{{- $own := dict -}}
{{- if eq $root.Values.postgresql.mode "external" -}}
{{- $own = dig $name "owner" dict $external.perService | default dict -}}
{{- end -}}
{{- $key := ternary $name "" (not (empty $own.existingSecret)) -}}
{{- if hasKey $databases $key -}}
{{- $database := index $databases $key -}}
{{- $_ := set $database "services" (append $database.services $name) -}}
{{- else -}}
{{- $owner := ternary (dict "existingSecret" $own.existingSecret "key" ($own.key | default "DATABASE_URL")) $external.owner (ne $key "") -}}
{{- $at := include "holdfast.databaseAddress" (dict "root" $root "service" $key) | fromJson -}}
{{- $_ := set $databases $key (dict "owner" $owner "at" $at "services" (list $name)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $databases | toJson -}}
{{- end -}}

{{/* A variable with the address of a database, with its owner as the user. (dict "root" $ "database" entry of
     holdfast.databases "variable" name "password" name of a variable that is set before) */}}
{{- define "holdfast.ownerUrl" -}}
{{- $pg := .root.Values.postgresql -}}
{{- if eq $pg.mode "external" }}
- name: {{ .variable }}
  valueFrom:
    secretKeyRef: { name: {{ .database.owner.existingSecret }}, key: {{ .database.owner.key }} }
{{- else }}
- name: {{ .password }}
  valueFrom:
    {{- if eq $pg.mode "cloudnativepg" }}
    secretKeyRef: { name: {{ include "holdfast.fullname" .root }}-postgresql-superuser, key: password }
    {{- else }}
    secretKeyRef: { name: {{ include "holdfast.shardSecretName" .root }}, key: POSTGRES_PASSWORD }
    {{- end }}
- name: {{ .variable }}
  value: postgresql://postgres:$({{ .password }})@{{ .database.at.host }}:{{ .database.at.port }}/{{ .database.at.database }}
{{- end }}
{{- end -}}

{{/* The environment of a Job that connects as the owner of a service's database: (dict "root" $ "service" name); of all
     databases without a service. */}}
{{- define "holdfast.ownerEnv" -}}
{{- $root := .root -}}
{{- $service := .service | default "" -}}
{{- range $key, $database := include "holdfast.databases" $root | fromJson }}
{{- if or (eq $service "") (has $service $database.services) }}
{{- $variable := ternary "DATABASE_URL" (printf "DATABASE_URL_%s" (upper $key)) (or (eq $key "") (ne $service "")) }}
{{- include "holdfast.ownerUrl" (dict "root" $root "database" $database "variable" $variable "password" "OWNER_PASSWORD") }}
{{- end }}
{{- end }}
{{- if (include "holdfast.databaseCa" $root | fromJson).secret }}
- name: DATABASE_CA_FILE
  value: /run/holdfast/postgresql/ca.crt
{{- end }}
{{- include "holdfast.clientCertificateEnv" (dict "root" $root) }}
{{- end -}}

{{/* The claim of backups; empty without backups. */}}
{{- define "holdfast.backupClaim" -}}
{{- $backup := .Values.backup -}}
{{- if $backup.existingClaim -}}
{{- $backup.existingClaim -}}
{{- else if or $backup.dumpSchedule $backup.ledgerSchedule $backup.checkpointSchedule -}}
{{- include "holdfast.fullname" . }}-backup
{{- end -}}
{{- end -}}

{{/* Where `org purge` and `org export` write: the root file system is read-only. */}}
{{- define "holdfast.archiveMount" -}}
- { name: archive, mountPath: /archive }
{{- end -}}

{{- define "holdfast.archiveVolume" -}}
- name: archive
{{- with .Values.owner.archiveClaim }}
  persistentVolumeClaim: { claimName: {{ . }} }
{{- else }}
  emptyDir: {}
{{- end }}
{{- end -}}

{{/* Its mount. A claim that the user gives is for all shards. */}}
{{- define "holdfast.backupMount" -}}
- { name: backup, mountPath: /backup{{ if and .shard .Values.backup.existingClaim }}, subPath: {{ .shard }}{{ end }} }
{{- end -}}

{{/* Variables, mounts and volumes by which a container reaches NATS. */}}
{{- define "holdfast.natsEnv" -}}
- name: NATS_URL
  value: {{ include "holdfast.natsUrls" . | quote }}
{{- if (include "holdfast.natsCa" . | fromJson).secret }}
- name: NATS_CA_FILE
  value: /run/holdfast/nats/ca.crt
{{- end }}
{{- end -}}

{{- define "holdfast.natsMount" -}}
{{- if (include "holdfast.natsCa" . | fromJson).secret }}
- { name: nats-ca, mountPath: /run/holdfast/nats, readOnly: true }
{{- end }}
{{- end -}}

{{- define "holdfast.natsVolume" -}}
{{- with include "holdfast.natsCa" . | fromJson }}{{ if .secret }}
- name: nats-ca
  secret:
    secretName: {{ .secret }}
    items: [{ key: {{ .key }}, path: ca.crt }]
{{- end }}{{ end }}
{{- end -}}

{{/* Secret with the certificate by which a service, or without a service the owner, proves itself to PostgreSQL; empty
     without one: (dict "root" $ "service" name) */}}
{{- define "holdfast.clientCertificate" -}}
{{- $external := .root.Values.postgresql.external -}}
{{- $own := $external.owner.clientCertificate -}}
{{- if .service -}}{{- $own = dig .service "clientCertificate" dict $external.perService -}}{{- end -}}
{{- if eq .root.Values.postgresql.mode "external" -}}
{{- $own.existingSecret | default $external.clientCertificate.existingSecret -}}
{{- end -}}
{{- end -}}

{{/* Its variables, by default those of Holdfast: (dict "root" $ "service" name "names" list of two) */}}
{{- define "holdfast.clientCertificateEnv" -}}
{{- if include "holdfast.clientCertificate" . }}
{{- $names := .names | default (list "DATABASE_CERT_FILE" "DATABASE_KEY_FILE") }}
- { name: {{ first $names }}, value: /run/holdfast/postgresql-client/tls.crt }
- { name: {{ last $names }}, value: /run/holdfast/postgresql-client/tls.key }
{{- end }}
{{- end -}}

{{/* Mounts and volumes by which a service, or without a service the owner, reaches PostgreSQL:
     (dict "root" $ "service" name) */}}
{{- define "holdfast.databaseMount" -}}
{{- if (include "holdfast.databaseCa" .root | fromJson).secret }}
- { name: postgresql-ca, mountPath: /run/holdfast/postgresql, readOnly: true }
{{- end }}
{{- if include "holdfast.clientCertificate" . }}
- { name: postgresql-client, mountPath: /run/holdfast/postgresql-client, readOnly: true }
{{- end }}
{{- end -}}

{{- define "holdfast.databaseVolume" -}}
{{- with include "holdfast.databaseCa" .root | fromJson }}{{ if .secret }}
- name: postgresql-ca
  secret:
    secretName: {{ .secret }}
    items: [{ key: {{ .key }}, path: ca.crt }]
{{- end }}{{ end }}
{{- with include "holdfast.clientCertificate" . }}
- name: postgresql-client
  secret:
    secretName: {{ . }}
    # libpq accepts a key of root that its group may read.
    defaultMode: 0440
    items:
      - { key: tls.crt, path: tls.crt }
      - { key: tls.key, path: tls.key }
{{- end }}
{{- end -}}

{{/* How a service reaches its database, as its own role. (dict "root" $ "name" name "service" entry of the table) */}}
{{- define "holdfast.serviceDatabaseEnv" -}}
{{- $at := include "holdfast.databaseAddress" (dict "root" .root "service" .name) | fromJson -}}
- name: DATABASE_URL
  value: postgresql://{{ .service.database.role }}@{{ $at.host }}:{{ $at.port }}/{{ $at.database }}{{ include "holdfast.databaseParameters" .root }}
{{- with include "holdfast.watermarksAt" . | fromJson }}{{ if .host }}
- name: WATERMARK_DATABASE_URL
  value: postgresql://{{ $.service.database.role }}@{{ .host }}:{{ .port }}/{{ .database }}{{ include "holdfast.databaseParameters" $.root }}
{{- end }}{{ end }}
{{- with include "holdfast.readHost" . }}
- name: DATABASE_READ_URL
  value: postgresql://{{ $.service.database.role }}@{{ . }}:{{ $at.port }}/{{ $at.database }}{{ include "holdfast.databaseParameters" $.root }}
{{- end }}
- { name: DATABASE_PASSWORD_FILE, value: /run/holdfast/secrets/database-password }
{{- if (include "holdfast.databaseCa" .root | fromJson).secret }}
- { name: DATABASE_CA_FILE, value: /run/holdfast/postgresql/ca.crt }
{{- end }}
{{- include "holdfast.clientCertificateEnv" (dict "root" .root "service" .name) }}
{{- end -}}

{{/* Address of the database whose watermarks a service raises, if it is not its own: (dict "root" $ "name" name) */}}
{{- define "holdfast.watermarksAt" -}}
{{- $root := .root -}}
{{- $name := .name -}}
{{- $readModel := (index (include "holdfast.table" $root | fromJson).services $name).raisesWatermarksOf -}}
{{- $at := dict -}}
{{- range include "holdfast.databases" $root | fromJson -}}
{{- if and $readModel (has $readModel .services) (not (has $name .services)) -}}
{{- $at = include "holdfast.databaseAddress" (dict "root" $root "service" $readModel) | fromJson -}}
{{- end -}}
{{- end -}}
{{- $at | toJson -}}
{{- end -}}

{{/* Host of a streaming replica for the reads of a service; empty without one: (dict "root" $ "name" name) */}}
{{- define "holdfast.readHost" -}}
{{- $pg := .root.Values.postgresql -}}
{{- if (index (include "holdfast.table" .root | fromJson).services .name).readsFromReplica -}}
{{- if eq $pg.mode "external" -}}
{{- $own := index $pg.external.perService .name | default dict -}}
{{- $own.readHost | default (ternary "" $pg.external.readHost (not (empty $own.owner))) -}}
{{- else if and (eq $pg.mode "cloudnativepg") $pg.cloudnativepg.readFromStandbys -}}
{{- printf "%s-postgresql-ro" (include "holdfast.fullname" .root) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Without a CA of its own, the certificate of an external server must be one of a public CA. */}}
{{- define "holdfast.databaseParameters" -}}
{{- $external := .Values.postgresql.external -}}
{{- if and (eq .Values.postgresql.mode "external") $external.tls (not $external.ca.existingSecret) -}}?sslmode=verify-full{{- end -}}
{{- end -}}
