{{/* Lines `key: value` of the chart without those whose key the user gives, and what the user gives:
     (dict "chart" text "given" map) */}}
{{- define "holdfast.linesWithGiven" -}}
{{- $given := .given -}}
{{- $lines := list -}}
{{- range compact (splitList "\n" .chart) -}}
{{- if not (hasKey $given (first (splitList ":" .))) -}}{{- $lines = append $lines . -}}{{- end -}}
{{- end -}}
{{- if $given -}}{{- $lines = append $lines (toYaml $given) -}}{{- end -}}
{{- join "\n" $lines -}}
{{- end -}}

{{/* Labels and annotations of every object. Those of the user replace those of the chart, and those of one object the
     common ones: (dict "root" $ "component" name "hasToken" whether its pods have one "own" values with `labels` and
     `annotations` "fixed" annotations of the chart, as text). All but the first are optional. */}}
{{- define "holdfast.metadata" -}}
{{- $own := .own | default dict -}}
{{- $labels := include "holdfast.labels" .root -}}
{{- with .component -}}{{- $labels = printf "%s\napp.kubernetes.io/component: %s" $labels . -}}{{- end -}}
{{- if .hasToken -}}{{- $labels = printf "%s\nholdfast/token: needed" $labels -}}{{- end -}}
{{- $given := merge dict ($own.labels | default dict) .root.Values.commonLabels -}}
labels:
  {{- include "holdfast.linesWithGiven" (dict "chart" $labels "given" $given) | nindent 2 }}
{{- $given = merge dict ($own.annotations | default dict) .root.Values.commonAnnotations -}}
{{- with include "holdfast.linesWithGiven" (dict "chart" (.fixed | default "") "given" $given) }}
annotations:
  {{- . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Metadata of a Job, a CronJob, or a Deployment with the command line:
     (dict "root" $ "component" name "hasToken" whether its pods have one "fixed" text, as above) */}}
{{- define "holdfast.jobObjectMetadata" -}}
{{- include "holdfast.metadata" (merge (dict "own" .root.Values.jobs) .) -}}
{{- end -}}

{{/* Of a hook that runs before the other objects, lower weights first. */}}
{{- define "holdfast.hookAnnotations" -}}
helm.sh/hook: pre-install,pre-upgrade,pre-rollback
helm.sh/hook-weight: {{ . | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end -}}

{{/* Labels by which the chart finds its pods: labels of pods may not replace them. */}}
{{- define "holdfast.podLabelNames" -}}
["app.kubernetes.io/name","app.kubernetes.io/instance","app.kubernetes.io/component","holdfast/version"]
{{- end -}}
