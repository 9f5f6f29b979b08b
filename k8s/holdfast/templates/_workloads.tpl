{{/* A probe of a service: what the user gives replaces members of the chart, and a handler that of the chart.
     (dict "probes" values "name" "startup") */}}
{{- define "holdfast.probe" -}}
{{- $given := index .probes .name -}}
{{- if not (pick $given "exec" "grpc" "httpGet" "tcpSocket") -}}
httpGet: { path: {{ ternary "/readyz" "/healthz" (eq .name "readiness") }}, port: ops }
{{ end -}}
{{- $startup := dict "periodSeconds" 2 "timeoutSeconds" 2 "failureThreshold" 90 -}}
{{- $readiness := dict "periodSeconds" 5 "timeoutSeconds" 4 "failureThreshold" 2 -}}
{{- $liveness := dict "periodSeconds" 10 "timeoutSeconds" 5 "failureThreshold" 6 -}}
{{- $numbers := index (dict "startup" $startup "readiness" $readiness "liveness" $liveness) .name -}}
{{- merge (deepCopy $given) $numbers | toYaml -}}
{{- end -}}

{{/* The limits of a Job, by default those of `jobs`: (dict "root" $ "backoffLimit" 1 "activeDeadlineSeconds" 600) */}}
{{- define "holdfast.jobLimits" -}}
{{- $jobs := .root.Values.jobs -}}
backoffLimit: {{ .backoffLimit | default $jobs.backoffLimit }}
activeDeadlineSeconds: {{ .activeDeadlineSeconds | default $jobs.activeDeadlineSeconds }}
{{- if not (kindIs "invalid" $jobs.ttlSecondsAfterFinished) }}
ttlSecondsAfterFinished: {{ $jobs.ttlSecondsAfterFinished }}
{{- end }}
{{- end -}}

{{/* Of a StatefulSet whose pods have a volume each: (dict "name" "data" "storage" values) */}}
{{- define "holdfast.claimTemplates" -}}
volumeClaimTemplates:
  - metadata:
      name: {{ .name }}
      {{- with .storage.annotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      accessModes: [ReadWriteOnce]
      {{- with .storage.storageClassName }}
      storageClassName: {{ . }}
      {{- end }}
      resources:
        requests:
          storage: {{ .storage.size }}
{{- end -}}

{{/* How long a pod that ends waits for its successor: only a single replica of a Deployment gets one that late, unless
     Kubernetes creates it after the end. 0: not at all. (dict "service" entry of the table "settings" its own) */}}
{{- define "holdfast.successorSeconds" -}}
{{- $s := .settings -}}
{{- $stateful := and .service.checkpoints (not (dig "checkpoints" "existingClaim" "" $s)) -}}
{{- $recreated := eq (dig "type" "" $s.strategy) "Recreate" -}}
{{- $isSingle := and (not $s.autoscaling.enabled) (eq (int $s.replicas) 1) -}}
{{- ternary (int $s.successorSeconds) 0 (and $isSingle (not $stateful) (not $recreated)) -}}
{{- end -}}

{{/*
Spreads the pods of a component over zones and nodes. The scheduler passes over a soft constraint on every node that
lacks the key of any other one (PodTopologySpread, requireAllTopologies), so on nodes without a zone, such as those of
kind or of bare machines, no constraint counts: there the anti-affinity keeps the pods apart.
(dict "root" $ "component" name "whenUnsatisfiable" value "deployment" whether it is one)
*/}}
{{- define "holdfast.spread" -}}
{{- $selector := include "holdfast.selectorLabels" .root -}}
topologySpreadConstraints:
  {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: {{ $.whenUnsatisfiable }}
    labelSelector:
      matchLabels:
        {{- $selector | nindent 8 }}
        app.kubernetes.io/component: {{ $.component }}
    {{- if $.deployment }}
    # Old and new pods are spread each for themselves.
    matchLabelKeys: [pod-template-hash]
    {{- end }}
  {{- end }}
affinity:
  podAntiAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        podAffinityTerm:
          topologyKey: kubernetes.io/hostname
          labelSelector:
            matchLabels:
              {{- $selector | nindent 14 }}
              app.kubernetes.io/component: {{ $.component }}
          {{- if $.deployment }}
          matchLabelKeys: [pod-template-hash]
          {{- end }}
{{- end }}
