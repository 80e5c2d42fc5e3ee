{{/*
The pod of one role. Roles are Deployments and ServiceAccounts of their own; what they share is here. Their image is one,
but for roles with an `image` in their values. Takes: root (the chart's scope), role (its name), values (the role's part of
the values), serviceAccount, args (more arguments, YAML strings, one a line), env (variables of its own, YAML, may be
missing), folder (path and sizeLimit of a folder that lives as long as the pod, may be missing), commandKeys (configMap and
key, may be missing), mounts and volumes (of files of its own, YAML, may be missing), runner (the part of the values about a
container that runs programs of others, may be missing; then the ServiceAccount's token is mounted in the agent's container
alone).
*/}}
{{- define "fairlead-agent.pod" -}}
{{- $root := .root -}}
{{- $values := .values -}}
{{- $hub := $root.Values.hub -}}
{{- $ca := $hub.caBundle -}}
{{- $hasToken := ne $root.Values.identity "mesh" -}}
{{- $hasCaVolume := or $ca.configMap $ca.secret -}}
{{- $hasCommandKeys := and .commandKeys .commandKeys.configMap -}}
{{- $hasMounts := or $hasToken $values.policy $hasCaVolume .folder .mounts .runner $values.extraVolumeMounts -}}
{{- $fullname := include "fairlead-agent.fullname" $root -}}
metadata:
  # Not all labels of the objects: a new version of the chart alone is no reason for new pods.
  labels:
    {{- include "fairlead-agent.selectorLabels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
    app.kubernetes.io/part-of: fairlead
    {{- with $root.Values.commonLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    {{- with $values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with $values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ .serviceAccount }}
  {{- if .runner }}
  automountServiceAccountToken: false
  shareProcessNamespace: false
  {{- else }}
  automountServiceAccountToken: true
  {{- end }}
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ add (include "fairlead-agent.seconds" $root.Values.drain | int) 15 }}
  {{- with $root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    {{- if not $root.Values.platformUser }}
    runAsUser: 65532
    runAsGroup: 65532
    fsGroup: 65532
    {{- end }}
    seccompProfile:
      type: RuntimeDefault
  containers:
    - name: agent
      image: {{ include "fairlead-agent.image" (dict "root" $root "own" $values.image) | quote }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      args:
        - --hub={{ $hub.url }}
        - --roles={{ .role }}
        {{- if eq $root.Values.identity "mesh" }}
        - --identity=mesh
        {{- else }}
        - --token-file=/var/run/fairlead/token/token
        {{- end }}
        {{- if include "fairlead-agent.hasIdentitySecret" . }}
        - --identity-secret={{ printf "%s-%s-identity" $fullname .role }}
        {{- end }}
        - --health-listen={{ ternary (printf "[%s]" $root.Values.health.host) $root.Values.health.host (contains ":" $root.Values.health.host) }}:{{ $root.Values.health.port }}
        {{- if $root.Values.metrics.listen.enabled }}
        - --metrics-listen={{ ternary (printf "[%s]" $root.Values.health.host) $root.Values.health.host (contains ":" $root.Values.health.host) }}:{{ $root.Values.metrics.listen.port }}
        {{- end }}
        - --log-level={{ $root.Values.logLevel }}
        - --drain={{ $root.Values.drain }}
        {{- with $root.Values.tracing }}
        {{- if .endpoint }}
        - --otlp-endpoint={{ .endpoint }}
        - --trace-sample-ratio={{ .sampleRatio }}
        {{- end }}
        {{- end }}
        {{- with .args }}
        {{- . | nindent 8 }}
        {{- end }}
        {{- if $values.policy }}
        - --policy-file=/etc/fairlead/policy/policy.yaml
        {{- end }}
        {{- if $hasCaVolume }}
        - --ca-file=/etc/fairlead/ca/{{ $ca.key }}
        {{- else if $ca.system }}
        - --ca-file=system
        {{- end }}
      {{- if or .env $hub.httpsProxy.url $hub.httpsProxy.existingSecret $values.extraEnv }}
      env:
        {{- with .env }}
        {{- . | nindent 8 }}
        {{- end }}
        {{- if $hub.httpsProxy.url }}
        - name: HTTPS_PROXY
          value: {{ $hub.httpsProxy.url | quote }}
        {{- else if $hub.httpsProxy.existingSecret }}
        - name: HTTPS_PROXY
          valueFrom:
            secretKeyRef:
              name: {{ $hub.httpsProxy.existingSecret }}
              key: HTTPS_PROXY
        {{- end }}
        {{- with $hub.httpsProxy.noProxy }}
        - name: NO_PROXY
          value: {{ . | quote }}
        {{- end }}
        {{- with $values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- end }}
      ports:
        - name: health
          containerPort: {{ $root.Values.health.port }}
        {{- if $root.Values.metrics.listen.enabled }}
        - name: metrics
          containerPort: {{ $root.Values.metrics.listen.port }}
        {{- end }}
      # Alive means that the process turns. A hub that is away is no reason to restart: the agent dials until it is back.
      livenessProbe:
        httpGet: { path: /healthz, port: health }
        initialDelaySeconds: 5
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      # Ready means that a round trip to the hub and one to the API server work.
      readinessProbe:
        httpGet: { path: /readyz, port: health }
        periodSeconds: 5
        timeoutSeconds: 5
        failureThreshold: 3
      {{- with $values.resources }}
      resources:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        privileged: false
        capabilities:
          drop: [ALL]
      {{- if $hasMounts }}
      volumeMounts:
        {{- if .runner }}
        - name: account
          mountPath: /var/run/secrets/kubernetes.io/serviceaccount
          readOnly: true
        {{- end }}
        {{- if and .runner .runner.enabled }}
        - name: runner
          mountPath: /run/fairlead/runner
        {{- end }}
        {{- if $hasToken }}
        # A folder and not a file in one: a new token in the Secret then reaches a pod that runs.
        - name: token
          mountPath: /var/run/fairlead/token
          readOnly: true
        {{- end }}
        {{- if $values.policy }}
        - name: policy
          mountPath: /etc/fairlead/policy
          readOnly: true
        {{- end }}
        {{- if $hasCaVolume }}
        - name: ca
          mountPath: /etc/fairlead/ca
          readOnly: true
        {{- end }}
        {{- if $hasCommandKeys }}
        - name: command-keys
          mountPath: /etc/fairlead/command-keys
          readOnly: true
        {{- end }}
        {{- with .folder }}
        - name: folder
          mountPath: {{ .path }}
        {{- end }}
        {{- with .mounts }}
        {{- . | nindent 8 }}
        {{- end }}
        {{- with $values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- end }}
    {{- if and .runner .runner.enabled }}
    {{- include "fairlead-agent.runner" . | nindent 4 }}
    {{- end }}
  {{- if or $hasMounts .volumes $values.extraVolumes }}
  volumes:
    {{- if .runner }}
    # As the kubelet mounts it by itself, but not in every container.
    - name: account
      projected:
        defaultMode: 0444
        sources:
          - serviceAccountToken:
              expirationSeconds: 3607
              path: token
          - configMap:
              name: kube-root-ca.crt
              items:
                - { key: ca.crt, path: ca.crt }
          - downwardAPI:
              items:
                - path: namespace
                  fieldRef: { apiVersion: v1, fieldPath: metadata.namespace }
    {{- end }}
    {{- if and .runner .runner.enabled }}
    - name: runner
      emptyDir:
        sizeLimit: {{ .runner.folderSizeLimit }}
    {{- end }}
    {{- if $hasToken }}
    - name: token
      secret:
        secretName: {{ include "fairlead-agent.tokenSecret" $root }}
        # A spent token may be deleted: the identity doesn't need it.
        optional: true
        defaultMode: 0440
        items:
          - { key: {{ $root.Values.token.key | quote }}, path: token }
    {{- end }}
    {{- if $values.policy }}
    - name: policy
      configMap:
        name: {{ printf "%s-%s-policy" $fullname .role }}
    {{- end }}
    {{- with .folder }}
    - name: folder
      emptyDir:
        sizeLimit: {{ .sizeLimit }}
    {{- end }}
    {{- with .volumes }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- with $values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    {{- if $hasCommandKeys }}
    - name: command-keys
      configMap:
        name: {{ .commandKeys.configMap }}
        items:
          - { key: {{ .commandKeys.key | quote }}, path: {{ .commandKeys.key | quote }} }
    {{- end }}
    {{- if $ca.configMap }}
    - name: ca
      configMap:
        name: {{ $ca.configMap }}
        items:
          - { key: {{ $ca.key | quote }}, path: {{ $ca.key | quote }} }
    {{- else if $ca.secret }}
    - name: ca
      secret:
        secretName: {{ $ca.secret }}
        items:
          - { key: {{ $ca.key | quote }}, path: {{ $ca.key | quote }} }
    {{- end }}
  {{- end }}
  {{- with $values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
    {{- if $values.topologySpreadConstraints }}
    {{- toYaml $values.topologySpreadConstraints | nindent 4 }}
    {{- else }}
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "fairlead-agent.selectorLabels" $root | nindent 10 }}
          app.kubernetes.io/component: {{ .role }}
    {{- end }}
{{- end -}}
