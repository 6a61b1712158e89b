{{/* What an upgrade that reuses the values of an older release does not have: its default. Each template begins with it. */}}
{{- define "watchpost.defaults" -}}
{{- $_ := set . "Values" (mergeOverwrite (fromJson (.Files.Get "files/defaults.json")) .Values) }}
{{- end }}

{{/* At most so many characters: what is longer ends with a hash of the whole, so that two names stay two. list: the text, the most */}}
{{- define "watchpost.short" -}}
{{- $text := index . 0 }}
{{- $most := int (index . 1) }}
{{- if le (len $text) $most }}
{{- $text }}
{{- else }}
{{- printf "%s-%s" (trunc (int (sub $most 9)) $text | trimSuffix "-" | trimSuffix ".") (sha256sum $text | trunc 8) }}
{{- end }}
{{- end }}

{{- define "watchpost.name" -}}
{{- include "watchpost.short" (list (default .Chart.Name .Values.nameOverride) 63) }}
{{- end }}

{{- define "watchpost.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride }}
{{- $whole := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) }}
{{- include "watchpost.short" (list (default $whole .Values.fullnameOverride) 50) }}
{{- end }}

{{- define "watchpost.namespace" -}}
{{- default .Release.Namespace .Values.namespaceOverride }}
{{- end }}

{{- define "watchpost.selector" -}}
{{- toYaml (dict "app.kubernetes.io/name" (include "watchpost.name" .) "app.kubernetes.io/instance" .Release.Name "app.kubernetes.io/component" "control-plane") }}
{{- end }}

{{/* What selectors and Helm go by is the chart's own; all else may be said otherwise. dict: root, and optionally labels, component */}}
{{- define "watchpost.labels" -}}
{{- $chart := printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- $component := dict "app.kubernetes.io/component" (default "control-plane" .component) }}
{{- $own := merge $component (include "watchpost.selector" .root | fromYaml) (dict "helm.sh/chart" (include "watchpost.short" (list $chart 63)) "app.kubernetes.io/managed-by" .root.Release.Service) }}
{{- $words := dict "app.kubernetes.io/part-of" "watchpost" "app.kubernetes.io/version" .root.Chart.AppVersion }}
{{- toYaml (merge $own (default (dict) .labels) .root.Values.commonLabels $words) }}
{{- end }}

{{/* Of pods: without what changes with each version of the chart, so that an upgrade of the chart alone rolls nothing. */}}
{{- define "watchpost.podLabels" -}}
{{- $own := include "watchpost.selector" . | fromYaml }}
{{- toYaml (merge $own .Values.podLabels .Values.commonLabels (dict "app.kubernetes.io/part-of" "watchpost")) }}
{{- end }}

{{/* metadata without the braces: dict root, name, and optionally labels, annotations */}}
{{- define "watchpost.metadata" -}}
name: {{ .name }}
namespace: {{ include "watchpost.namespace" .root }}
labels:
  {{- include "watchpost.labels" (omit . "name" "annotations") | nindent 2 }}
{{- with merge (dict) (default (dict) .annotations) .root.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "watchpost.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "watchpost.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "watchpost.image" -}}
{{- $image := .Values.image }}
{{- $name := ternary (printf "%s/%s" $image.registry $image.repository) $image.repository (ne $image.registry "") }}
{{- if $image.digest }}
{{- printf "%s@%s" $name $image.digest }}
{{- else }}
{{- printf "%s:%s" $name (default .Chart.AppVersion $image.tag | toString) }}
{{- end }}
{{- end }}

{{/* "true" with PostgreSQL, else nothing. */}}
{{- define "watchpost.isPostgres" -}}
{{- if or .Values.database.url .Values.database.existingSecret }}true{{ end }}
{{- end }}

{{- define "watchpost.secretName" -}}
{{- default (include "watchpost.fullname" .) .Values.secrets.existingSecret }}
{{- end }}

{{- define "watchpost.dataClaim" -}}
{{- default (printf "%s-data" (include "watchpost.fullname" .)) .Values.persistence.existingClaim }}
{{- end }}

{{- define "watchpost.artifactsClaim" -}}
{{- default (printf "%s-artifacts" (include "watchpost.fullname" .)) .Values.artifacts.pvc.existingClaim }}
{{- end }}

{{- define "watchpost.backupClaim" -}}
{{- default (printf "%s-backup" (include "watchpost.fullname" .)) .Values.backup.existingClaim }}
{{- end }}

{{- define "watchpost.baseUrl" -}}
{{- default (include "watchpost.serviceUrl" .) .Values.baseUrl | trimSuffix "/" }}
{{- end }}

{{/* Where other pods of the cluster reach it. */}}
{{- define "watchpost.serviceUrl" -}}
{{- printf "http://%s.%s.svc%s" (include "watchpost.fullname" .) (include "watchpost.namespace" .) (ternary "" (printf ":%d" (int .Values.service.port)) (eq (int .Values.service.port) 80)) }}
{{- end }}

{{/* Of the contents of all secrets that the pods read, or nothing without a cluster at hand. */}}
{{- define "watchpost.secretsChecksum" -}}
{{- $contents := dict }}
{{- $names := list (include "watchpost.secretName" .) .Values.database.existingSecret .Values.artifacts.s3.existingSecret .Values.oidc.existingSecret .Values.mail.existingSecret }}
{{- range .Values.secretFiles }}
{{- $names = append $names .name }}
{{- end }}
{{- range $names }}
{{- if . }}
{{- with lookup "v1" "Secret" (include "watchpost.namespace" $) . }}
{{- $contents = set $contents .metadata.name (default (dict) .data) }}
{{- end }}
{{- end }}
{{- end }}
{{- if $contents }}
{{- toJson $contents | sha256sum }}
{{- end }}
{{- end }}

{{/*
Without a cluster to look into, keys that the chart makes would be others in each rendering, and what was sealed with the last ones could never be
read again. In a cluster a list of secrets is an object, also an empty one; Helm reads them anyway, since its releases are some.
*/}}
{{- define "watchpost.requireKeysOrCluster" -}}
{{- $missing := list }}
{{- range list "encryptionKey" "accountId" "apiKey" "agentKey" }}
{{- if not (get $.Values.secrets .) }}
{{- $missing = append $missing (printf "secrets.%s" .) }}
{{- end }}
{{- end }}
{{- if and $missing (not (lookup "v1" "Secret" (include "watchpost.namespace" .) "")) }}
{{- fail (printf (include "watchpost.keysHelp" .) (join ", " $missing)) }}
{{- end }}
{{- end }}

{{- define "watchpost.keysHelp" -}}
%s: there is no cluster to look for the keys of before, and new ones in each rendering would make everything unreadable. Make them once, and name their secret by secrets.existingSecret:
  kubectl -n {{ include "watchpost.namespace" . }} create secret generic watchpost-keys \
    --from-literal=encryption-key="$(openssl rand -base64 32)" --from-literal=account-id="$(uuidgen)" \
    --from-literal=api-key="wp_$(openssl rand -hex 24)" --from-literal=agent-key="pl_$(openssl rand -hex 16)"
{{- end }}

{{/* A setting as text. Large numbers would be written with an exponent. */}}
{{- define "watchpost.setting" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) }}
{{- int64 . }}
{{- else }}
{{- . }}
{{- end }}
{{- end }}

{{/* Without user and group ids where OpenShift chooses them. dict: root, context */}}
{{- define "watchpost.context" -}}
{{- $context := .context }}
{{- if .root.Values.openshift }}
{{- $context = omit $context "runAsUser" "runAsGroup" "fsGroup" "fsGroupChangePolicy" }}
{{- end }}
{{- toYaml $context }}
{{- end }}

{{/* Where pods beside the control plane run, and whom they ask for names. */}}
{{- define "watchpost.placement" -}}
dnsPolicy: {{ .Values.dnsPolicy }}
{{- range $name := list "priorityClassName" "runtimeClassName" }}
{{- with get $.Values $name }}
{{ $name }}: {{ . }}
{{- end }}
{{- end }}
{{- range $name := list "dnsConfig" "hostAliases" "nodeSelector" "tolerations" }}
{{- with get $.Values $name }}
{{ $name }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{/* What the schema cannot say: it judges one value at a time. */}}
{{- define "watchpost.validate" -}}
{{- range $name, $_ := .Values.secretFiles }}
{{- if hasKey $.Values.settings $name }}
{{- fail (printf "%s is among settings and secretFiles: set one of them" $name) }}
{{- end }}
{{- end }}
{{- if and .Values.artifacts.s3.existingSecret (hasKey .Values.secretFiles "AWS_SECRET_ACCESS_KEY") }}
{{- fail "AWS_SECRET_ACCESS_KEY is among secretFiles and named by artifacts.s3.existingSecret: set one of them" }}
{{- end }}
{{- $isPostgres := include "watchpost.isPostgres" . }}
{{- if and (gt (int .Values.replicas) 1) (not $isPostgres) }}
{{- fail "replicas: the embedded database has one control plane; set database.existingSecret (PostgreSQL) for more" }}
{{- end }}
{{- if and .Values.database.url .Values.database.existingSecret }}
{{- fail "database has a url and an existing secret: set one of them" }}
{{- end }}
{{- if and $isPostgres (eq .Values.artifacts.kind "data") (gt (int .Values.replicas) 1) }}
{{- fail "artifacts.kind must be pvc or s3 with several replicas: they share the files of results" }}
{{- end }}
{{- if and (eq .Values.artifacts.kind "s3") (not .Values.artifacts.s3.url) }}
{{- fail "artifacts.s3.url is missing: s3://bucket/prefix" }}
{{- end }}
{{- if and .Values.backup.enabled $isPostgres }}
{{- fail "backup is for the embedded database: back up PostgreSQL with its own tools, such as pg_dump (docs/deploy/backup.md)" }}
{{- end }}
{{- if and .Values.backup.enabled (not .Values.persistence.enabled) }}
{{- fail "backup needs persistence.enabled: there is no volume to back up" }}
{{- end }}
{{- $restore := .Values.restore }}
{{- if $restore.enabled }}
{{- if $isPostgres }}
{{- fail "restore is for the embedded database: restore PostgreSQL with its own tools, such as pg_restore (docs/deploy/backup.md)" }}
{{- end }}
{{- if not .Values.persistence.enabled }}
{{- fail "restore needs persistence.enabled: there is no volume to restore to" }}
{{- end }}
{{- if not $restore.file }}
{{- fail "restore.file is missing: the name of a backup on the volume of backups" }}
{{- end }}
{{- if not (or $restore.existingClaim .Values.backup.existingClaim .Values.backup.enabled) }}
{{- fail "restore.existingClaim is missing: the claim of the volume that has restore.file" }}
{{- end }}
{{- end }}
{{- $code := .Values.asCode }}
{{- if $code.enabled }}
{{- $sources := 0 }}
{{- range list $code.files $code.configMap $code.existingClaim }}
{{- if . }}{{ $sources = add $sources 1 }}{{ end }}
{{- end }}
{{- if ne (int $sources) 1 }}
{{- fail "asCode needs files, configMap or existingClaim: exactly one of them" }}
{{- end }}
{{- end }}
{{- if and .Values.ingress.enabled (not .Values.ingress.hosts) }}
{{- fail "ingress.hosts is empty: name at least one host" }}
{{- end }}
{{- if and .Values.gateway.enabled (not .Values.gateway.parentRefs) }}
{{- fail "gateway.parentRefs is empty: name the gateway" }}
{{- end }}
{{- $oidc := .Values.oidc }}
{{- if and $oidc.issuer (not $oidc.clientId) }}
{{- fail "oidc.clientId is missing: the id of the client at oidc.issuer" }}
{{- end }}
{{- if and (not $oidc.issuer) (or $oidc.clientId $oidc.existingSecret $oidc.roleMapping) }}
{{- fail "oidc.issuer is missing: the address of the provider" }}
{{- end }}
{{- if and $oidc.issuer (not .Values.baseUrl) }}
{{- fail "oidc needs baseUrl: the provider sends people back there" }}
{{- end }}
{{- if and .Values.mail.existingSecret (not .Values.mail.from) }}
{{- fail "mail.from is missing: the sender of mails" }}
{{- end }}
{{- if and .Values.mail.from (not .Values.mail.existingSecret) }}
{{- fail "mail.existingSecret is missing: the address of the mail server" }}
{{- end }}
{{- if and .Values.caBundle.configMap .Values.caBundle.secret }}
{{- fail "caBundle names a config map and a secret: set one of them" }}
{{- end }}
{{- end }}

{{/* The variables that say where things are; for the control plane and for its backups. */}}
{{- define "watchpost.storeEnv" -}}
- name: DATA_DIR
  value: /data
{{- range (include "watchpost.storeSecrets" . | fromJsonArray) }}
{{- include "watchpost.secretVariable" (dict "root" $ "secret" .) }}
{{- end }}
{{- end }}

{{/* Secrets that values of the chart name, as JSON: a list of { variable, name, key, isPlain }: plain is what is kept with them and is none. First those that every program of the
store needs. */}}
{{- define "watchpost.storeSecrets" -}}
{{- $secrets := list }}
{{- if .Values.database.existingSecret }}
{{- $secrets = append $secrets (dict "variable" "DATABASE_URL" "name" .Values.database.existingSecret "key" .Values.database.secretKey) }}
{{- else if .Values.database.url }}
{{- $secrets = append $secrets (dict "variable" "DATABASE_URL" "name" (printf "%s-database" (include "watchpost.fullname" .)) "key" "database-url") }}
{{- end }}
{{- range $variable, $key := dict "ENCRYPTION_KEY" "encryption-key" "BOOTSTRAP_ACCOUNT_ID" "account-id" "BOOTSTRAP_API_KEY" "api-key" "BOOTSTRAP_AGENT_KEY" "agent-key" }}
{{- $secrets = append $secrets (dict "variable" $variable "name" (include "watchpost.secretName" $) "key" $key "isPlain" (eq $key "account-id")) }}
{{- end }}
{{- toJson $secrets }}
{{- end }}

{{- define "watchpost.servingSecrets" -}}
{{- $secrets := include "watchpost.storeSecrets" . | fromJsonArray }}
{{- if and (eq .Values.artifacts.kind "s3") .Values.artifacts.s3.existingSecret }}
{{- $secrets = append $secrets (dict "variable" "AWS_SECRET_ACCESS_KEY" "name" .Values.artifacts.s3.existingSecret "key" "AWS_SECRET_ACCESS_KEY") }}
{{- end }}
{{- if and .Values.oidc.issuer .Values.oidc.existingSecret }}
{{- $secrets = append $secrets (dict "variable" "OIDC_CLIENT_SECRET" "name" .Values.oidc.existingSecret "key" .Values.oidc.secretKey) }}
{{- end }}
{{- if .Values.mail.existingSecret }}
{{- $secrets = append $secrets (dict "variable" "SMTP_URL" "name" .Values.mail.existingSecret "key" .Values.mail.secretKey) }}
{{- end }}
{{- toJson $secrets }}
{{- end }}

{{/* dict: root, secret */}}
{{- define "watchpost.secretVariable" -}}
{{- if and .root.Values.secrets.asFiles (not .secret.isPlain) }}
- name: {{ .secret.variable }}_FILE
  value: /etc/watchpost/secrets/{{ .secret.variable }}
{{- else }}
- name: {{ .secret.variable }}
  valueFrom:
    secretKeyRef:
      name: {{ .secret.name }}
      key: {{ .secret.key }}
{{- end }}
{{- end }}

{{/* The volume of those that are files, and its mount; nothing without any. dict: root, and serving, if it is the control plane */}}
{{- define "watchpost.secretFiles" -}}
{{- $files := list }}
{{- if .root.Values.secrets.asFiles }}
{{- $files = include (ternary "watchpost.servingSecrets" "watchpost.storeSecrets" (hasKey . "serving")) .root | fromJsonArray }}
{{- end }}
{{- if hasKey . "serving" }}
{{- range $variable, $entry := .root.Values.secretFiles }}
{{- $files = append $files (dict "variable" $variable "name" $entry.name "key" $entry.key) }}
{{- end }}
{{- end }}
{{- toJson $files }}
{{- end }}

{{- define "watchpost.secretFilesVolume" -}}
{{- with include "watchpost.secretFiles" . | fromJsonArray }}
- name: secret-files
  projected:
    defaultMode: 0440
    sources:
      {{- range . }}
      {{- if not .isPlain }}
      - secret:
          name: {{ .name }}
          items:
            - key: {{ .key }}
              path: {{ .variable }}
      {{- end }}
      {{- end }}
{{- end }}
{{- end }}

{{- define "watchpost.secretFilesMount" -}}
{{- if include "watchpost.secretFiles" . | fromJsonArray }}
- name: secret-files
  mountPath: /etc/watchpost/secrets
  readOnly: true
{{- end }}
{{- end }}

{{/* The provider that people sign in with, and the mail server. */}}
{{- define "watchpost.peopleEnv" -}}
{{- with .Values.oidc }}
{{- if .issuer }}
- name: OIDC_ISSUER
  value: {{ .issuer | quote }}
- name: OIDC_CLIENT_ID
  value: {{ .clientId | quote }}
{{- if .existingSecret }}
{{- include "watchpost.secretVariable" (dict "root" $ "secret" (dict "variable" "OIDC_CLIENT_SECRET" "name" .existingSecret "key" .secretKey)) }}
{{- end }}
{{- if .roleMapping }}
{{- $pairs := list }}
{{- range $group, $role := .roleMapping }}
{{- $pairs = append $pairs (printf "%s=%s" $group $role) }}
{{- end }}
- name: OIDC_ROLE_MAPPING
  value: {{ join "," $pairs | quote }}
{{- end }}
- name: OIDC_GROUPS_CLAIM
  value: {{ .groupsClaim | quote }}
- name: OIDC_SCOPES
  value: {{ .scopes | quote }}
- name: OIDC_NAME
  value: {{ .name | quote }}
{{- end }}
{{- end }}
{{- with .Values.mail }}
{{- if .existingSecret }}
{{- include "watchpost.secretVariable" (dict "root" $ "secret" (dict "variable" "SMTP_URL" "name" .existingSecret "key" .secretKey)) }}
- name: MAIL_FROM
  value: {{ .from | quote }}
{{- end }}
{{- end }}
{{- end }}
