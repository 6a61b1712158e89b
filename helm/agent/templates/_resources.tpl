{{/* What one pod needs, by variant: measured with JOB_CONCURRENCY 1 and SCRIPT_CONCURRENCY 4 (docs/deploy/sizing.md). */}}
{{- define "watchpost-agent.resources" -}}
{{- if .values.resources }}
{{- toYaml .values.resources }}
{{- else if eq .values.image.variant "uptime" -}}
requests:
  cpu: 100m
  memory: 192Mi
limits:
  memory: 512Mi
{{- else -}}
requests:
  cpu: 500m
  memory: 1Gi
  ephemeral-storage: 1Gi
limits:
  memory: 4Gi
{{- end }}
{{- end }}
