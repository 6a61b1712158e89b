{{/* Asks for the control plane, by the way that agents take, and for the location's agents, without a proxy. dict: agent, readiness (an address, or none) */}}
{{- define "watchpost-agent.testPod" -}}
{{- $values := .agent.values }}
{{- $proxies := pick $values.secretFiles "HTTP_PROXY" "HTTPS_PROXY" }}
{{- $authorities := or $values.caBundle.configMap $values.caBundle.secret -}}
restartPolicy: Never
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  {{- include "watchpost-agent.context" (dict "values" $values "context" $values.podSecurityContext) | nindent 2 }}
{{- with $values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- range $name := list "priorityClassName" "runtimeClassName" "schedulerName" "dnsPolicy" }}
{{- with get $values $name }}
{{ $name }}: {{ . }}
{{- end }}
{{- end }}
{{- range $name := list "dnsConfig" "hostAliases" "nodeSelector" "tolerations" }}
{{- with get $values $name }}
{{ $name }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
containers:
  - name: test
    image: {{ include "watchpost-agent.image" .agent | quote }}
    imagePullPolicy: {{ $values.image.pullPolicy }}
    command: [node, -e]
    args:
      - |
        {{- if $proxies }}
        const { readFileSync } = require('node:fs')
        for (const name of {{ keys $proxies | sortAlpha | toJson }})
          process.env[name] = readFileSync(`/etc/watchpost/secrets/${name}`, 'utf8').trim()
        require('node:http').setGlobalProxyFromEnv()
        {{- end }}
        const until = Date.now() + 60_000
        const ask = async (address) => {
          const { status } = await fetch(address, { signal: AbortSignal.timeout(10_000) })
          console.log(`${address}: ${status}`)
          if (status !== 200) throw new Error(`${address} answered ${status}`)
        }
        // A name that was made a moment ago is not known everywhere yet.
        const insist = (address) =>
          ask(address).catch(async (error) => {
            if (Date.now() > until) throw error
            await new Promise((resolve) => setTimeout(resolve, 1000))
            return insist(address)
          })
        Promise.all(process.argv.slice(1).map(insist)).catch((error) => {
          console.error(error.cause?.message ?? error.message)
          process.exit(1)
        })
      - {{ printf "%s/health" (trimSuffix "/" $values.controlPlaneUrl) | quote }}
      {{- with .readiness }}
      - {{ . | quote }}
      {{- end }}
    env:
      - name: NODE_USE_ENV_PROXY
        value: "1"
      {{- with $values.proxy.http }}
      - name: HTTP_PROXY
        value: {{ . | quote }}
      {{- end }}
      {{- with $values.proxy.https }}
      - name: HTTPS_PROXY
        value: {{ . | quote }}
      {{- end }}
      - name: NO_PROXY
        value: {{ list $values.proxy.noProxy (printf ".%s.svc" (include "watchpost-agent.namespace" .agent.root)) | compact | join "," | quote }}
      {{- if $authorities }}
      - name: NODE_EXTRA_CA_CERTS
        value: /etc/watchpost/ca/ca.crt
      {{- end }}
    resources:
      requests: { cpu: 50m, memory: 64Mi }
      limits: { memory: 256Mi }
    securityContext:
      {{- include "watchpost-agent.context" (dict "values" $values "context" $values.securityContext) | nindent 6 }}
    {{- if or $authorities $proxies }}
    volumeMounts:
      {{- if $authorities }}
      - name: ca
        mountPath: /etc/watchpost/ca
        readOnly: true
      {{- end }}
      {{- if $proxies }}
      - name: secret-files
        mountPath: /etc/watchpost/secrets
        readOnly: true
      {{- end }}
    {{- end }}
{{- if or $authorities $proxies }}
volumes:
  {{- if $authorities }}
  - name: ca
    {{- if $values.caBundle.configMap }}
    configMap:
      name: {{ $values.caBundle.configMap }}
    {{- else }}
    secret:
      secretName: {{ $values.caBundle.secret }}
    {{- end }}
      items:
        - key: {{ $values.caBundle.key }}
          path: ca.crt
  {{- end }}
  {{- with $proxies }}
  {{- include "watchpost-agent.secretFilesVolume" . | nindent 2 }}
  {{- end }}
{{- end }}
{{- end }}
