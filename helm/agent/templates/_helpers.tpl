{{/* Names, labels and the list of locations. An "agent" is a dict: root (the context), name (of the location), values (merged), fullname. */}}

{{/* What an upgrade that reuses the values of an older release does not have: its default. Each template begins with it. */}}
{{- define "watchpost-agent.defaults" -}}
{{- $_ := set . "Values" (mergeOverwrite (fromJson (.Files.Get "files/defaults.json")) .Values) }}
{{- end }}

{{/* At most so many characters: what is longer ends with a hash of the whole, so that two names stay two. list: the text, the most */}}
{{- define "watchpost-agent.short" -}}
{{- $text := index . 0 }}
{{- $most := int (index . 1) }}
{{- if le (len $text) $most }}
{{- $text }}
{{- else }}
{{- printf "%s-%s" (trunc (int (sub $most 9)) $text | trimSuffix "-" | trimSuffix ".") (sha256sum $text | trunc 8) }}
{{- end }}
{{- end }}

{{- define "watchpost-agent.name" -}}
{{- include "watchpost-agent.short" (list (default .Chart.Name .Values.nameOverride) 63) }}
{{- end }}

{{- define "watchpost-agent.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride }}
{{- $whole := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) }}
{{- include "watchpost-agent.short" (list (default $whole .Values.fullnameOverride) 50) }}
{{- end }}

{{- define "watchpost-agent.namespace" -}}
{{- default .Release.Namespace .Values.namespaceOverride }}
{{- end }}

{{- define "watchpost-agent.selector" -}}
{{- toYaml (dict "app.kubernetes.io/name" (include "watchpost-agent.name" .) "app.kubernetes.io/instance" .Release.Name) }}
{{- end }}

{{- define "watchpost-agent.agentSelector" -}}
{{ include "watchpost-agent.selector" .root }}
{{ toYaml (dict "watchpost.dev/location" .name) }}
{{- end }}

{{/* What selectors and Helm go by is the chart's own; all else may be said otherwise. dict: root, and optionally agent, labels */}}
{{- define "watchpost-agent.labels" -}}
{{- $selector := include "watchpost-agent.selector" .root }}
{{- if .agent }}{{ $selector = include "watchpost-agent.agentSelector" .agent }}{{ end }}
{{- $chart := printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- $own := merge (fromYaml $selector) (dict "helm.sh/chart" (include "watchpost-agent.short" (list $chart 63)) "app.kubernetes.io/managed-by" .root.Release.Service) }}
{{- $words := dict "app.kubernetes.io/component" "agent" "app.kubernetes.io/part-of" "watchpost" "app.kubernetes.io/version" .root.Chart.AppVersion }}
{{- toYaml (merge $own (default (dict) .labels) .root.Values.commonLabels $words) }}
{{- end }}

{{/* Of pods: without what changes with each version of the chart, so that an upgrade of the chart alone rolls nothing. */}}
{{- define "watchpost-agent.podLabels" -}}
{{- $own := include "watchpost-agent.agentSelector" . | fromYaml }}
{{- $words := dict "app.kubernetes.io/component" "agent" "app.kubernetes.io/part-of" "watchpost" }}
{{- toYaml (merge $own .values.podLabels .root.Values.commonLabels $words) }}
{{- end }}

{{/* metadata without the braces: dict root, name, and optionally labels, annotations, agent */}}
{{- define "watchpost-agent.metadata" -}}
name: {{ .name }}
namespace: {{ include "watchpost-agent.namespace" .root }}
labels:
  {{- include "watchpost-agent.labels" (omit . "name" "annotations") | nindent 2 }}
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
{{- $agents = append $agents (dict "name" $name "fullname" (include "watchpost-agent.short" (list (printf "%s-%s" $fullname $name) 63)) "values" $values) }}
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
{{- default (include "watchpost-agent.short" (list (printf "%s-api-key" .fullname) 63)) .values.apiKey.existingSecret }}
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

{{/* Changes with what the files of secrets hold, as far as the secrets can be seen. Takes an agent. */}}
{{- define "watchpost-agent.secretFilesChecksum" -}}
{{- $contents := dict }}
{{- range $name, $entry := .values.secretFiles }}
{{- with lookup "v1" "Secret" (include "watchpost-agent.namespace" $.root) $entry.name }}
{{- $contents = set $contents $name (get (default (dict) .data) $entry.key) }}
{{- end }}
{{- end }}
{{- if $contents }}
{{- toJson $contents | sha256sum }}
{{- end }}
{{- end }}

{{/* A file for each, named after its setting. Takes entries of secretFiles. */}}
{{- define "watchpost-agent.secretFilesVolume" -}}
- name: secret-files
  projected:
    defaultMode: 0440
    sources:
      {{- range $name, $entry := . }}
      - secret:
          name: {{ $entry.name }}
          items:
            - key: {{ $entry.key }}
              path: {{ $name }}
      {{- end }}
{{- end }}

{{/* Every control plane of a store shows the same: once, whatever their number. */}}
{{- define "watchpost-agent.queueQuery" -}}
{{- $slug := default .name .values.autoscaling.keda.prometheus.slug }}
{{- printf "sum(max by (queue) (watchpost_queue_jobs{location=%q})) + sum(max by (queue) (watchpost_queue_running_jobs{location=%q}))" $slug $slug }}
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
{{- range $name, $_ := $values.secretFiles }}
{{- if hasKey $values.settings $name }}
{{- fail (printf "%s%s is among settings and secretFiles: set one of them" $name $place) }}
{{- end }}
{{- end }}
{{- range $name, $value := dict "HTTP_PROXY" "http" "HTTPS_PROXY" "https" }}
{{- if and (get $values.proxy $value) (hasKey $values.secretFiles $name) }}
{{- fail (printf "proxy.%s%s is set, and %s is among secretFiles: set one of them" $value $place $name) }}
{{- end }}
{{- end }}
{{- include "watchpost-agent.validateRoom" (dict "agent" . "place" $place "value" "spool" "setting" "SPOOL_MAX_MB" "fallback" "256") }}
{{- if ne $values.image.variant "uptime" }}
{{- include "watchpost-agent.validateRoom" (dict "agent" . "place" $place "value" "cache" "setting" "SUITE_CACHE_MAX_MB" "fallback" "4096") }}
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
{{- if and (eq $keda.trigger "prometheus") (not $keda.prometheus.query) (not $keda.prometheus.slug) (not .root.Values.locations) }}
{{- fail "autoscaling.keda.prometheus.slug is missing: the slug of the private location, by which Prometheus has its queue" }}
{{- end }}
{{- end }}
{{- if gt (int $values.autoscaling.minReplicas) (int $values.autoscaling.maxReplicas) }}
{{- fail (printf "autoscaling%s: minReplicas is greater than maxReplicas" $place) }}
{{- end }}
{{- if and (eq $values.autoscaling.mode "hpa") (lt (int $values.autoscaling.minReplicas) 1) }}
{{- fail (printf "autoscaling.minReplicas%s must be at least 1 with an HPA; only KEDA goes down to 0" $place) }}
{{- end }}
{{- end }}

{{/* Bytes of a quantity. */}}
{{- define "watchpost-agent.bytes" -}}
{{- $units := dict "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "E" 1e18 "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0 "Ti" 1099511627776.0 "Pi" 1125899906842624.0 "Ei" 1152921504606846976.0 }}
{{- $text := include "watchpost-agent.setting" . }}
{{- $unit := regexFind "[A-Za-z]+$" $text }}
{{- printf "%.0f" (mulf (float64 (trimSuffix $unit $text)) (default 1.0 (get $units $unit))) }}
{{- end }}

{{/* A volume that the kubelet would empty while the agent still fills it loses what it holds. dict: agent, value, setting, fallback */}}
{{- define "watchpost-agent.validateRoom" -}}
{{- $volume := get .agent.values .value }}
{{- $given := include "watchpost-agent.setting" (get .agent.values.settings .setting) }}
{{- $megabytes := float64 (default .fallback $given) }}
{{- if and (not $volume.volume) (lt (float64 (include "watchpost-agent.bytes" $volume.sizeLimit)) (mulf $megabytes 1048576.0 1.2)) }}
{{- fail (printf "%s.sizeLimit%s is %s, and the agent puts up to %s %.0f there: it takes a fifth more, %.0fMi" .value .place (toString $volume.sizeLimit) .setting $megabytes (ceil (mulf $megabytes 1.2))) }}
{{- end }}
{{- end }}

{{/* How pods are replaced: what belongs to rolling updates is left out of others. */}}
{{- define "watchpost-agent.strategy" -}}
{{- toYaml (ternary . (omit . "rollingUpdate") (eq (default "RollingUpdate" .type) "RollingUpdate")) }}
{{- end }}

{{/* Without user and group ids where OpenShift chooses them. dict: root, context */}}
{{- define "watchpost-agent.context" -}}
{{- $context := .context }}
{{- if .values.openshift }}
{{- $context = omit $context "runAsUser" "runAsGroup" "fsGroup" "fsGroupChangePolicy" }}
{{- end }}
{{- toYaml $context }}
{{- end }}

{{/* A setting as text. Numbers come as floats, whose large ones would be written with an exponent; on and off come as true and false. */}}
{{- define "watchpost-agent.setting" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) }}
{{- int64 . }}
{{- else if kindIs "bool" . }}
{{- ternary "on" "off" . }}
{{- else }}
{{- . }}
{{- end }}
{{- end }}
