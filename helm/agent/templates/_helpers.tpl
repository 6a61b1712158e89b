{{/* Names, labels and the list of locations. An "agent" is a dict: root (the context), name (of the location), values (merged), fullname. */}}

{{/* What an upgrade that reuses the values of an older release does not have: its default. Each template begins with it. */}}
{{- define "watchpost-agent.defaults" -}}
{{- $_ := set . "Values" (mergeOverwrite (fromJson (.Files.Get "files/defaults.json")) .Values) }}
{{- end }}

{{- define "watchpost-agent.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "watchpost-agent.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else }}
{{- $name := default .Chart.Name .Values.nameOverride }}
{{- if contains $name .Release.Name }}
{{- .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}
{{- end }}

{{- define "watchpost-agent.namespace" -}}
{{- default .Release.Namespace .Values.namespaceOverride }}
{{- end }}

{{- define "watchpost-agent.chart" -}}
{{- printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "watchpost-agent.selector" -}}
app.kubernetes.io/name: {{ include "watchpost-agent.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "watchpost-agent.labels" -}}
helm.sh/chart: {{ include "watchpost-agent.chart" . }}
{{ include "watchpost-agent.selector" . }}
app.kubernetes.io/component: agent
app.kubernetes.io/part-of: watchpost
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "watchpost-agent.agentSelector" -}}
{{ include "watchpost-agent.selector" .root }}
watchpost.dev/location: {{ .name }}
{{- end }}

{{- define "watchpost-agent.agentLabels" -}}
{{ include "watchpost-agent.labels" .root }}
watchpost.dev/location: {{ .name }}
{{- end }}

{{/* Of pods: without what changes with each version of the chart, so that an upgrade of the chart alone rolls nothing. */}}
{{- define "watchpost-agent.podLabels" -}}
{{ include "watchpost-agent.agentSelector" . }}
app.kubernetes.io/component: agent
app.kubernetes.io/part-of: watchpost
{{- with merge (dict) (deepCopy .values.podLabels) .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* metadata without the braces: dict root, name, and optionally labels, annotations, agent */}}
{{- define "watchpost-agent.metadata" -}}
name: {{ .name }}
namespace: {{ include "watchpost-agent.namespace" .root }}
labels:
  {{- if .agent }}
  {{- include "watchpost-agent.agentLabels" .agent | nindent 2 }}
  {{- else }}
  {{- include "watchpost-agent.labels" .root | nindent 2 }}
  {{- end }}
  {{- with .labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with merge (dict) (default (dict) .annotations) .root.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* The locations of the release as JSON: a list of { name, fullname, values }. Use: range (include … . | fromJsonArray) */}}
{{- define "watchpost-agent.agents" -}}
{{- $agents := list }}
{{- $fullname := include "watchpost-agent.fullname" . }}
{{- if .Values.locations }}
{{- range $name, $own := .Values.locations }}
{{- $values := mergeOverwrite (omit (deepCopy $.Values) "locations") (deepCopy (default (dict) $own)) }}
{{- $agents = append $agents (dict "name" $name "fullname" (printf "%s-%s" $fullname $name | trunc 63 | trimSuffix "-") "values" $values) }}
{{- end }}
{{- else }}
{{- $agents = append $agents (dict "name" "default" "fullname" $fullname "values" (omit (deepCopy .Values) "locations")) }}
{{- end }}
{{- toJson $agents }}
{{- end }}

{{- define "watchpost-agent.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "watchpost-agent.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{/* Takes an agent. */}}
{{- define "watchpost-agent.image" -}}
{{- $image := .values.image }}
{{- $repositories := dict "agent" "watchpost/agent" "uptime" "watchpost/agent-uptime" "dev" "watchpost/agent-dev" }}
{{- $repository := default (get $repositories $image.variant) $image.repository }}
{{- $name := ternary (printf "%s/%s" $image.registry $repository) $repository (ne $image.registry "") }}
{{- if $image.digest }}
{{- printf "%s@%s" $name $image.digest }}
{{- else }}
{{- printf "%s:%s" $name (default .root.Chart.AppVersion $image.tag | toString) }}
{{- end }}
{{- end }}

{{- define "watchpost-agent.secretName" -}}
{{- default (printf "%s-api-key" .fullname | trunc 63 | trimSuffix "-") .values.apiKey.existingSecret }}
{{- end }}

{{/* Changes with the key, and rolls the pods. Empty where the secret cannot be seen. */}}
{{- define "watchpost-agent.secretChecksum" -}}
{{- $key := .values.apiKey }}
{{- if not $key.existingSecret }}
{{- sha256sum $key.value }}
{{- else if $key.rollOnChange }}
{{- $secret := lookup "v1" "Secret" (include "watchpost-agent.namespace" .root) $key.existingSecret }}
{{- with $secret }}
{{- get (default (dict) .data) $key.secretKey | sha256sum }}
{{- end }}
{{- end }}
{{- end }}

{{/* What the schema cannot say: it judges one value at a time. Takes an agent. */}}
{{- define "watchpost-agent.validate" -}}
{{- $values := .values }}
{{- $place := ternary "" (printf " of the location %s" .name) (eq .name "default") }}
{{- if not $values.controlPlaneUrl }}
{{- fail (printf "controlPlaneUrl%s is missing: the address of the control plane, such as https://watchpost.example" $place) }}
{{- end }}
{{- if and (not $values.apiKey.value) (not $values.apiKey.existingSecret) }}
{{- fail (printf "apiKey.existingSecret%s is missing: kubectl create secret generic NAME --from-literal=api-key=pl_…, or set apiKey.value" $place) }}
{{- end }}
{{- if and $values.apiKey.value $values.apiKey.existingSecret }}
{{- fail (printf "apiKey%s has a value and an existing secret: set one of them" $place) }}
{{- end }}
{{- if and $values.caBundle.configMap $values.caBundle.secret }}
{{- fail (printf "caBundle%s names a config map and a secret: set one of them" $place) }}
{{- end }}
{{- if eq $values.autoscaling.mode "keda" }}
{{- $keda := $values.autoscaling.keda }}
{{- if and (eq $keda.trigger "queue") (or (not $keda.queue.locationId) (not $keda.queue.existingSecret)) }}
{{- fail (printf "autoscaling.keda.queue%s needs locationId (GET /v1/private-locations shows it) and existingSecret (an API key that may read)" $place) }}
{{- end }}
{{- if and (eq $keda.trigger "prometheus") (not $keda.prometheus.serverAddress) }}
{{- fail (printf "autoscaling.keda.prometheus.serverAddress%s is missing" $place) }}
{{- end }}
{{- end }}
{{- if gt (int $values.autoscaling.minReplicas) (int $values.autoscaling.maxReplicas) }}
{{- fail (printf "autoscaling%s: minReplicas is greater than maxReplicas" $place) }}
{{- end }}
{{- if and (eq $values.autoscaling.mode "hpa") (lt (int $values.autoscaling.minReplicas) 1) }}
{{- fail (printf "autoscaling.minReplicas%s must be at least 1 with an HPA; only KEDA goes down to 0" $place) }}
{{- end }}
{{- end }}

{{/* Without user and group ids where OpenShift chooses them. dict: root, context */}}
{{- define "watchpost-agent.context" -}}
{{- $context := .context }}
{{- if .values.openshift }}
{{- $context = omit $context "runAsUser" "runAsGroup" "fsGroup" "fsGroupChangePolicy" }}
{{- end }}
{{- toYaml $context }}
{{- end }}

{{/* A setting as text. Numbers come as floats, whose large ones would be written with an exponent. */}}
{{- define "watchpost-agent.setting" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) }}
{{- int64 . }}
{{- else }}
{{- . }}
{{- end }}
{{- end }}
