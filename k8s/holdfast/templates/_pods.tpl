{{/* The pods of a service, indented for a workload's `template`:
     (dict "root" $ "name" name "service" entry "version" label) */}}
{{- define "holdfast.podTemplate" -}}
{{- $root := .root }}
{{- $name := .name }}
{{- $service := .service }}
{{- $full := include "holdfast.fullname" $root }}
{{- $secret := include "holdfast.secretName" $root }}
{{- $shardSecret := include "holdfast.shardSecretName" $root }}
{{- $s := include "holdfast.settings" (dict "root" $root "service" $name) | fromJson }}
{{- $image := include "holdfast.image" (dict "root" $root "name" $name "own" $s.image) }}
{{- $stateful := and $service.checkpoints (not (dig "checkpoints" "existingClaim" "" $s)) }}
{{- $mutualTls := eq (include "holdfast.hasMutualTls" $root) "true" }}
{{- $encrypted := and (eq $name "auth") $mutualTls }}
    metadata:
      labels:
        {{- include "holdfast.selectorLabels" $root | nindent 8 }}
        app.kubernetes.io/component: {{ $name }}
        holdfast/version: {{ .version }}
        {{- with $s.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- $annotations := deepCopy $s.podAnnotations }}
      {{- range $kind, $secretOfPod := dict "secret" $secret "shard-secret" $shardSecret }}
      {{- if eq (include "holdfast.hasExistingSecrets" $root) "true" }}
      {{- with lookup "v1" "Secret" $root.Release.Namespace $secretOfPod }}
      {{- /* An upgrade restarts the pods when a Secret that the chart does not create has changed. */}}
      {{- $_ := set $annotations (printf "holdfast/%s" $kind) (.data | toJson | sha256sum | trunc 16) }}
      {{- end }}
      {{- end }}
      {{- end }}
      {{- with $annotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      serviceAccountName: {{ ternary (printf "%s-%s" $full $name) ($root.Values.serviceAccount.name | default "default") $root.Values.serviceAccount.create }}
      automountServiceAccountToken: {{ $s.automountServiceAccountToken }}
      enableServiceLinks: false
      {{- include "holdfast.pullSecrets" $root | nindent 6 }}
      {{- with include "holdfast.hostAliases" $root | trim }}
      {{- . | nindent 6 }}
      {{- end }}
      {{- with $s.dnsConfig }}
      dnsConfig:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $s.priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      {{- with $s.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $s.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $s.affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- if and $s.topologySpread.enabled (not $s.affinity) }}
      {{- with $s.topologySpread.constraints }}
      topologySpreadConstraints:
        {{- toYaml . | nindent 8 }}
      {{- else }}
      {{- $spread := dict "root" $root "component" $name "deployment" (not $stateful) }}
      {{- include "holdfast.spread" (set $spread "whenUnsatisfiable" $s.topologySpread.whenUnsatisfiable) | nindent 6 }}
      {{- end }}
      {{- end }}
      {{- with $s.podSpec }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
      terminationGracePeriodSeconds: {{ $s.terminationGracePeriodSeconds }}
      securityContext:
        {{- include "holdfast.podSecurity" (dict "root" $root "user" 1000) | nindent 8 }}
      {{- if or $service.database (and $service.after $root.Values.rollout.ordered) $s.extraInitContainers }}
      initContainers:
        {{- with $s.extraInitContainers }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
        {{- if and $service.after $root.Values.rollout.ordered }}
        {{- range $before, $order := include "holdfast.rolloutBefore" (dict "root" $root "service" $service) | fromJson }}
        - name: {{ $order }}
          image: {{ $image }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          command:
            - node
            - libs/service/dist/rollout/wait-for-rollout.js
            - {{ $before }}-all
            - {{ $before }}-new
            - {{ $root.Values.rollout.waitSeconds | quote }}
          securityContext:
            {{- include "holdfast.containerSecurity" $root | nindent 12 }}
          resources:
            {{- toYaml $s.resources | nindent 12 }}
        {{- end }}
        {{- end }}
        {{- if $service.database }}
        - name: migrations
          image: {{ $image }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          command: [node, service/migrate.js, --wait]
          env:
            {{- include "holdfast.serviceDatabaseEnv" (dict "root" $root "name" $name "service" $service) | nindent 12 }}
          volumeMounts:
            - { name: database-password, mountPath: /run/holdfast/secrets, readOnly: true }
            {{- include "holdfast.databaseMount" (dict "root" $root "service" $name) | nindent 12 }}
          securityContext:
            {{- include "holdfast.containerSecurity" $root | nindent 12 }}
          resources:
            {{- toYaml $s.resources | nindent 12 }}
        {{- end }}
      {{- end }}
      containers:
        - name: {{ $name }}
          image: {{ $image }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          {{- with $s.command }}
          command:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          {{- with $s.args }}
          args:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          ports:
            {{- if $service.http }}
            - { name: http, containerPort: 8080 }
            {{- end }}
            - { name: ops, containerPort: 9090 }
          env:
            {{- include "holdfast.chartEnv" (dict "root" $root "name" $name "service" $service) | trim | nindent 12 }}
            {{- with int (include "holdfast.successorSeconds" (dict "service" $service "settings" $s)) }}
            - { name: SUCCESSOR_SECONDS, value: {{ . | quote }} }
            {{- end }}
            {{- range $variable, $value := $s.env }}
            - name: {{ $variable }}
              value: {{ $value | toString | quote }}
            {{- end }}
            {{- with $s.extraEnv }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          {{- with $s.extraEnvFrom }}
          envFrom:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          # A start waits for NATS and the database.
          startupProbe:
            {{- include "holdfast.probe" (dict "probes" $s.probes "name" "startup") | nindent 12 }}
          readinessProbe:
            {{- include "holdfast.probe" (dict "probes" $s.probes "name" "readiness") | nindent 12 }}
          # A process whose event loop hangs is restarted. One that waits for the database is not.
          livenessProbe:
            {{- include "holdfast.probe" (dict "probes" $s.probes "name" "liveness") | nindent 12 }}
          lifecycle:
            {{- if not $s.lifecycle.preStop }}
            preStop:
              sleep: { seconds: {{ $s.preStopSeconds }} }
            {{- end }}
            {{- with $s.lifecycle }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          securityContext:
            {{- include "holdfast.containerSecurity" $root | nindent 12 }}
          resources:
            {{- toYaml $s.resources | nindent 12 }}
          volumeMounts:
            - { name: tmp, mountPath: /tmp }
            {{- include "holdfast.natsMount" $root | nindent 12 }}
            {{- if $service.database }}
            - { name: database-password, mountPath: /run/holdfast/secrets, readOnly: true }
            {{- include "holdfast.databaseMount" (dict "root" $root "service" $name) | nindent 12 }}
            {{- end }}
            {{- if $service.checkpoints }}
            - { name: checkpoints, mountPath: /checkpoints }
            {{- end }}
            {{- if or $encrypted (and (eq $name "gateway") $mutualTls) }}
            - { name: tls, mountPath: /run/holdfast/tls, readOnly: true }
            {{- end }}
            {{- with $s.extraVolumeMounts }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
        {{- with $s.extraContainers }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      volumes:
        - name: tmp
          emptyDir: { sizeLimit: 64Mi }
        {{- include "holdfast.natsVolume" $root | nindent 8 }}
        {{- if $service.database }}
        # During a rotation the Secret has the earlier password too, until PostgreSQL has the new one.
        - name: database-password
          projected:
            sources:
              - secret:
                  name: {{ $shardSecret }}
                  items: [{ key: {{ $service.database.password }}, path: database-password }]
              - secret:
                  name: {{ $shardSecret }}
                  items: [{ key: {{ $service.database.password }}_PREVIOUS, path: database-password_PREVIOUS }]
                  optional: true
        {{- include "holdfast.databaseVolume" (dict "root" $root "service" $name) | nindent 8 }}
        {{- end }}
        {{- if and $service.checkpoints (not $stateful) }}
        - name: checkpoints
          persistentVolumeClaim: { claimName: {{ $s.checkpoints.existingClaim }} }
        {{- end }}
        {{- if or $encrypted (and (eq $name "gateway") $mutualTls) }}
        - name: tls
          secret:
            secretName: {{ include "holdfast.certificate" (dict "root" $root "name" $name) }}
            items:
              - { key: ca.crt, path: ca.crt }
              - { key: tls.crt, path: tls.crt }
              - { key: tls.key, path: tls.key }
        {{- end }}
        {{- with $s.extraVolumes }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
{{- end -}}

{{/* What differs between pods of one template and those of another, as a label. The next service's pods wait until all
     pods of this one have the latest: not only of another version, since on a small cluster all services that start at
     once leave each other no CPU time. It is no version of the chart, which would restart pods that have not changed.
     (dict "root" $ "name" name "service" entry) */}}
{{- define "holdfast.podVersion" -}}
{{- $pod := dict "root" .root "name" .name "service" .service "version" "" -}}
{{- include "holdfast.podTemplate" $pod | sha256sum | trunc 16 | printf "v%s" -}}
{{- end -}}
