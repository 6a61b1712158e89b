{{/* The security context of pods, with what pings need beside what is given. */}}
{{- define "watchpost-agent.podContext" -}}
{{- $context := default (dict) .values.podSecurityContext }}
{{- $name := "net.ipv4.ping_group_range" }}
{{- $given := list }}
{{- range default (list) $context.sysctls }}
{{- $given = append $given .name }}
{{- end }}
{{- if and .values.ping.sysctl (not .values.hostNetwork) (not (has $name $given)) }}
{{- $sysctls := append (default (list) $context.sysctls) (dict "name" $name "value" "0 2147483647") }}
{{- $context = merge (dict "sysctls" $sysctls) $context }}
{{- end }}
{{- toYaml $context }}
{{- end }}

{{/* The pod of an agent. */}}
{{- define "watchpost-agent.pod" -}}
{{- $values := .values }}
{{- $root := .root }}
{{- $hasBrowser := ne $values.image.variant "uptime" -}}
serviceAccountName: {{ include "watchpost-agent.serviceAccountName" $root }}
automountServiceAccountToken: {{ $values.serviceAccount.automount }}
enableServiceLinks: false
terminationGracePeriodSeconds: {{ add (int $values.drainTimeoutSeconds) 30 }}
{{- with $values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with $values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $values.runtimeClassName }}
runtimeClassName: {{ . }}
{{- end }}
{{- with $values.schedulerName }}
schedulerName: {{ . }}
{{- end }}
{{- if $values.hostNetwork }}
hostNetwork: true
{{- end }}
dnsPolicy: {{ $values.dnsPolicy }}
{{- with $values.dnsConfig }}
dnsConfig:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.hostAliases }}
hostAliases:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- include "watchpost-agent.context" (dict "values" $values "context" (include "watchpost-agent.podContext" . | fromYaml)) | nindent 2 }}
{{- with $values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- range . }}
  - {{ toYaml . | nindent 4 | trim }}
    {{- if not .labelSelector }}
    labelSelector:
      matchLabels:
        {{- include "watchpost-agent.agentSelector" $ | nindent 8 }}
    {{- end }}
  {{- end }}
{{- end }}
{{- with $values.initContainers }}
initContainers:
  {{- toYaml . | nindent 2 }}
{{- end }}
containers:
  - name: agent
    image: {{ include "watchpost-agent.image" . | quote }}
    imagePullPolicy: {{ $values.image.pullPolicy }}
    {{- with $values.command }}
    command:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with $values.args }}
    args:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    env:
      - name: CONTROL_PLANE_URL
        value: {{ $values.controlPlaneUrl | quote }}
      - name: API_KEY_FILE
        value: /etc/watchpost/key/api-key
      - name: AGENT_HEALTH_PORT
        value: "8081"
      - name: DRAIN_TIMEOUT_SECONDS
        value: {{ $values.drainTimeoutSeconds | int | quote }}
      - name: SPOOL_DIR
        value: /var/lib/watchpost/spool
      {{- if $hasBrowser }}
      - name: SUITE_CACHE_DIR
        value: /var/lib/watchpost/suites
      {{- end }}
      {{- with $values.proxy.http }}
      - name: HTTP_PROXY
        value: {{ . | quote }}
      {{- end }}
      {{- with $values.proxy.https }}
      - name: HTTPS_PROXY
        value: {{ . | quote }}
      {{- end }}
      {{- with $values.proxy.noProxy }}
      - name: NO_PROXY
        value: {{ . | quote }}
      {{- end }}
      {{- if or $values.caBundle.configMap $values.caBundle.secret }}
      - name: EXTRA_CA_CERTS
        value: /etc/watchpost/ca/ca.crt
      {{- end }}
      {{- range $name, $value := $values.settings }}
      - name: {{ $name }}
        value: {{ include "watchpost-agent.setting" $value | quote }}
      {{- end }}
      {{- range $name, $_ := $values.secretFiles }}
      - name: {{ $name }}_FILE
        value: /etc/watchpost/secrets/{{ $name }}
      {{- end }}
      {{- with $values.env }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
    {{- with $values.envFrom }}
    envFrom:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    ports:
      - name: health
        containerPort: 8081
        protocol: TCP
    {{- with $values.probes.startup }}
    startupProbe:
      httpGet:
        path: /-/liveness
        port: health
      {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with $values.probes.liveness }}
    livenessProbe:
      httpGet:
        path: /-/liveness
        port: health
      {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with $values.probes.readiness }}
    readinessProbe:
      httpGet:
        path: /-/readiness
        port: health
      {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with $values.lifecycle }}
    lifecycle:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    resources:
      {{- include "watchpost-agent.resources" . | nindent 6 }}
    securityContext:
      {{- include "watchpost-agent.context" (dict "values" $values "context" $values.securityContext) | nindent 6 }}
    volumeMounts:
      - name: api-key
        mountPath: /etc/watchpost/key
        readOnly: true
      - name: spool
        mountPath: /var/lib/watchpost/spool
      - name: tmp
        mountPath: /tmp
      {{- if $hasBrowser }}
      - name: cache
        mountPath: /var/lib/watchpost/suites
      - name: shm
        mountPath: /dev/shm
      {{- end }}
      {{- if or $values.caBundle.configMap $values.caBundle.secret }}
      - name: ca
        mountPath: /etc/watchpost/ca
        readOnly: true
      {{- end }}
      {{- if $values.secretFiles }}
      - name: secret-files
        mountPath: /etc/watchpost/secrets
        readOnly: true
      {{- end }}
      {{- with $values.extraVolumeMounts }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
  {{- with $values.extraContainers }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
volumes:
  - name: api-key
    secret:
      secretName: {{ include "watchpost-agent.secretName" . }}
      defaultMode: 0440
      items:
        - key: {{ ternary $values.apiKey.secretKey "api-key" (ne $values.apiKey.existingSecret "") }}
          path: api-key
  - name: spool
    {{- if $values.spool.volume }}
    {{- toYaml $values.spool.volume | nindent 4 }}
    {{- else }}
    emptyDir:
      sizeLimit: {{ include "watchpost-agent.setting" $values.spool.sizeLimit }}
    {{- end }}
  - name: tmp
    emptyDir:
      sizeLimit: {{ include "watchpost-agent.setting" $values.tmp.sizeLimit }}
  {{- if $hasBrowser }}
  - name: cache
    {{- if $values.cache.volume }}
    {{- toYaml $values.cache.volume | nindent 4 }}
    {{- else }}
    emptyDir:
      sizeLimit: {{ include "watchpost-agent.setting" $values.cache.sizeLimit }}
    {{- end }}
  - name: shm
    emptyDir:
      medium: Memory
      sizeLimit: {{ include "watchpost-agent.setting" $values.shm.sizeLimit }}
  {{- end }}
  {{- if $values.caBundle.configMap }}
  - name: ca
    configMap:
      name: {{ $values.caBundle.configMap }}
      items:
        - key: {{ $values.caBundle.key }}
          path: ca.crt
  {{- else if $values.caBundle.secret }}
  - name: ca
    secret:
      secretName: {{ $values.caBundle.secret }}
      items:
        - key: {{ $values.caBundle.key }}
          path: ca.crt
  {{- end }}
  {{- with $values.secretFiles }}
  {{- include "watchpost-agent.secretFilesVolume" . | nindent 2 }}
  {{- end }}
  {{- with $values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
