{{/* The pod, whatever makes it. */}}
{{- define "fairlead-hub.pod" -}}
metadata:
  labels:
    {{- include "fairlead-hub.selectorLabels" . | nindent 4 }}
    app.kubernetes.io/part-of: fairlead
    {{- with .Values.commonLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    # The hub reads its settings when it starts.
    fairlead.dev/config-checksum: {{ include "fairlead-hub.config" . | sha256sum }}
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "fairlead-hub.serviceAccount" . }}
  automountServiceAccountToken: {{ .Values.argo.inCluster }}
  enableServiceLinks: false
  # For what is under way, for the database to end by itself, and of several for balancers to hear of it.
  terminationGracePeriodSeconds: {{ add (include "fairlead-hub.seconds" (default "10s" .Values.config.drain) | int) (ternary 50 45 (gt (int .Values.replicas) 1)) }}
  {{- with .Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    {{- if not .Values.platformUser }}
    runAsUser: 65532
    runAsGroup: 65532
    fsGroup: 65532
    fsGroupChangePolicy: OnRootMismatch
    {{- end }}
    seccompProfile:
      type: RuntimeDefault
  containers:
    - name: hub
      image: {{ include "fairlead-hub.image" . | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args:
        - --config=/etc/fairlead/config/hub.yaml
        {{- if include "fairlead-hub.isShared" . }}
        # Where the other hubs dial this one; brackets are good for addresses of both families.
        - --hub-address=[$(POD_IP)]:8444
        {{- end }}
      env:
        # Fewer heaps of the C library, which keeps what a burst took: 12 MiB less.
        - name: MALLOC_ARENA_MAX
          value: "2"
        {{- if include "fairlead-hub.isShared" . }}
        - name: POD_IP
          valueFrom:
            fieldRef: { fieldPath: status.podIP }
        {{- end }}
        {{- with .Values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      ports:
        - name: people
          containerPort: 8443
        - name: agents
          containerPort: 8444
        {{- if .Values.metrics.listen.enabled }}
        - name: metrics
          containerPort: {{ .Values.metrics.listen.port }}
        {{- end }}
        {{- if .Values.argo.redis.enabled }}
        - name: argo-redis
          containerPort: 6379
        {{- end }}
      {{- if gt (int .Values.replicas) 1 }}
      # It goes on serving until all balancers have heard that it leaves, and is told to stop then.
      lifecycle:
        preStop:
          exec:
            command: [node, --eval, "setTimeout(() => {}, 5000)"]
      {{- end }}
      # The first start copies the database; one after a power cut reads what was written last.
      startupProbe:
        httpGet: { path: /healthz, port: people, scheme: HTTPS }
        periodSeconds: 3
        timeoutSeconds: 5
        failureThreshold: 60
      livenessProbe:
        httpGet: { path: /healthz, port: people, scheme: HTTPS }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      # Ready means that a round trip to the database works, both listeners are open and their certificates good.
      readinessProbe:
        httpGet: { path: /readyz, port: people, scheme: HTTPS }
        periodSeconds: 5
        timeoutSeconds: 5
        failureThreshold: 3
      {{- with .Values.resources }}
      resources:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        privileged: false
        capabilities:
          drop: [ALL]
      volumeMounts:
        - name: config
          mountPath: /etc/fairlead/config
          readOnly: true
        {{- if include "fairlead-hub.hasFolder" . }}
        - name: data
          mountPath: /var/lib/fairlead-hub
        {{- if not .Values.persistence.holdsSockets }}
        - name: sockets
          mountPath: /run/fairlead-hub
        {{- end }}
        {{- else }}
        - name: tmp
          mountPath: /tmp
        {{- end }}
        {{- if .Values.tls.existingSecret }}
        - name: tls
          mountPath: /etc/fairlead/tls
          readOnly: true
        {{- end }}
        {{- if .Values.authority.keyEncryptionKey.existingSecret }}
        - name: authority
          mountPath: /etc/fairlead/authority
          readOnly: true
        {{- end }}
        {{- if .Values.argo.kubeconfig.existingSecret }}
        - name: argo
          mountPath: /etc/fairlead/argo
          readOnly: true
        {{- end }}
        {{- with .Values.argo.redis }}
        {{- if .enabled }}
        - name: argo-redis
          mountPath: /etc/fairlead/argo-redis
          readOnly: true
        {{- if .tls.existingSecret }}
        - name: argo-redis-tls
          mountPath: /etc/fairlead/argo-redis-tls
          readOnly: true
        {{- end }}
        {{- if .upstream.password.existingSecret }}
        - name: argo-redis-upstream
          mountPath: /etc/fairlead/argo-redis-upstream
          readOnly: true
        {{- end }}
        {{- if .upstream.caBundle.configMap }}
        - name: argo-redis-upstream-ca
          mountPath: /etc/fairlead/argo-redis-upstream-ca
          readOnly: true
        {{- end }}
        {{- end }}
        {{- end }}
        {{- if .Values.authority.given.existingSecret }}
        - name: ca
          mountPath: /etc/fairlead/ca
          readOnly: true
        {{- end }}
        {{- if .Values.authority.given.nextSecret }}
        - name: next-ca
          mountPath: /etc/fairlead/next-ca
          readOnly: true
        {{- end }}
        {{- if include "fairlead-hub.declarations" . }}
        # As a whole and not by subPath, or changes wouldn't arrive.
        - name: declarations
          mountPath: /etc/fairlead/declarations
          readOnly: true
        {{- end }}
        {{- if .Values.database.existingSecret }}
        - name: database
          mountPath: /etc/fairlead/database
          readOnly: true
        {{- end }}
        {{- if .Values.database.caBundle.configMap }}
        - name: database-ca
          mountPath: /etc/fairlead/database-ca
          readOnly: true
        {{- end }}
        {{- if .Values.bus.listenUrl.existingSecret }}
        - name: bus
          mountPath: /etc/fairlead/bus
          readOnly: true
        {{- end }}
        {{- if .Values.bus.nats.credentials.existingSecret }}
        - name: nats-credentials
          mountPath: /etc/fairlead/nats-credentials
          readOnly: true
        {{- end }}
        {{- if .Values.bus.nats.clientCertificate.existingSecret }}
        - name: nats-certificate
          mountPath: /etc/fairlead/nats-certificate
          readOnly: true
        {{- end }}
        {{- if .Values.bus.nats.caBundle.configMap }}
        - name: nats-ca
          mountPath: /etc/fairlead/nats-ca
          readOnly: true
        {{- end }}
        {{- if .Values.oidc.clientSecret.existingSecret }}
        - name: oidc
          mountPath: /etc/fairlead/oidc
          readOnly: true
        {{- end }}
        {{- if .Values.oidc.caBundle.configMap }}
        - name: oidc-ca
          mountPath: /etc/fairlead/oidc-ca
          readOnly: true
        {{- end }}
        {{- with .Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: config
      configMap:
        name: {{ include "fairlead-hub.fullname" . }}
    {{- if include "fairlead-hub.hasClaim" . }}
    {{- with .Values.persistence.existingClaim }}
    - name: data
      persistentVolumeClaim:
        claimName: {{ . }}
    {{- end }}
    {{- else if include "fairlead-hub.hasFolder" . }}
    # Audit records that the database doesn't have yet, and recordings. It outlives the container, not the pod.
    - name: data
      emptyDir: { sizeLimit: {{ .Values.persistence.size }} }
    {{- end }}
    {{- if not (include "fairlead-hub.hasFolder" .) }}
    - name: tmp
      emptyDir: {}
    {{- else if not .Values.persistence.holdsSockets }}
    - name: sockets
      emptyDir: { medium: Memory, sizeLimit: 1Mi }
    {{- end }}
    {{- with .Values.tls.existingSecret }}
    - name: tls
      secret:
        secretName: {{ . }}
        defaultMode: 0440
    {{- end }}
    {{- with .Values.authority.keyEncryptionKey }}
    {{- if .existingSecret }}
    - name: authority
      secret:
        secretName: {{ .existingSecret }}
        defaultMode: 0440
        items:
          - { key: {{ .key | quote }}, path: key-encryption-key }
          {{- if .previousKey }}
          - { key: {{ .previousKey | quote }}, path: previous-key-encryption-key }
          {{- end }}
    {{- end }}
    {{- end }}
    {{- with .Values.argo.kubeconfig }}
    {{- if .existingSecret }}
    - name: argo
      secret:
        secretName: {{ .existingSecret }}
        defaultMode: 0440
        items:
          - { key: {{ .key | quote }}, path: kubeconfig }
    {{- end }}
    {{- end }}
    {{- with .Values.argo.redis }}
    {{- if .enabled }}
    - name: argo-redis
      secret:
        secretName: {{ .password.existingSecret }}
        defaultMode: 0440
        items:
          - { key: {{ .password.key | quote }}, path: password }
    {{- with .tls.existingSecret }}
    - name: argo-redis-tls
      secret:
        secretName: {{ . }}
        defaultMode: 0440
    {{- end }}
    {{- if .upstream.password.existingSecret }}
    - name: argo-redis-upstream
      secret:
        secretName: {{ .upstream.password.existingSecret }}
        defaultMode: 0440
        items:
          - { key: {{ .upstream.password.key | quote }}, path: password }
    {{- end }}
    {{- if .upstream.caBundle.configMap }}
    - name: argo-redis-upstream-ca
      configMap:
        name: {{ .upstream.caBundle.configMap }}
        items:
          - { key: {{ .upstream.caBundle.key | quote }}, path: ca.crt }
    {{- end }}
    {{- end }}
    {{- end }}
    {{- with .Values.authority.given.existingSecret }}
    - name: ca
      secret:
        secretName: {{ . }}
        defaultMode: 0440
    {{- end }}
    {{- with .Values.authority.given.nextSecret }}
    - name: next-ca
      secret:
        secretName: {{ . }}
        defaultMode: 0440
    {{- end }}
    {{- with include "fairlead-hub.declarations" . }}
    - name: declarations
      configMap:
        name: {{ . }}
    {{- end }}
    {{- if .Values.database.existingSecret }}
    - name: database
      secret:
        secretName: {{ .Values.database.existingSecret }}
        defaultMode: 0440
        items:
          - { key: {{ .Values.database.key | quote }}, path: url }
    {{- end }}
    {{- if .Values.database.caBundle.configMap }}
    - name: database-ca
      configMap:
        name: {{ .Values.database.caBundle.configMap }}
        items:
          - { key: {{ .Values.database.caBundle.key | quote }}, path: ca.crt }
    {{- end }}
    {{- if .Values.bus.listenUrl.existingSecret }}
    - name: bus
      secret:
        secretName: {{ .Values.bus.listenUrl.existingSecret }}
        defaultMode: 0440
        items:
          - { key: {{ .Values.bus.listenUrl.key | quote }}, path: listen-url }
    {{- end }}
    {{- with .Values.bus.nats }}
    {{- if .credentials.existingSecret }}
    - name: nats-credentials
      secret:
        secretName: {{ .credentials.existingSecret }}
        defaultMode: 0440
        items:
          - { key: {{ .credentials.key | quote }}, path: credentials }
    {{- end }}
    {{- if .clientCertificate.existingSecret }}
    - name: nats-certificate
      secret:
        secretName: {{ .clientCertificate.existingSecret }}
        defaultMode: 0440
    {{- end }}
    {{- if .caBundle.configMap }}
    - name: nats-ca
      configMap:
        name: {{ .caBundle.configMap }}
        items:
          - { key: {{ .caBundle.key | quote }}, path: ca.crt }
    {{- end }}
    {{- end }}
    {{- if .Values.oidc.clientSecret.existingSecret }}
    - name: oidc
      secret:
        secretName: {{ .Values.oidc.clientSecret.existingSecret }}
        defaultMode: 0440
        items:
          - { key: {{ .Values.oidc.clientSecret.key | quote }}, path: client-secret }
    {{- end }}
    {{- if .Values.oidc.caBundle.configMap }}
    - name: oidc-ca
      configMap:
        name: {{ .Values.oidc.caBundle.configMap }}
        items:
          - { key: {{ .Values.oidc.caBundle.key | quote }}, path: ca.crt }
    {{- end }}
    {{- with .Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if .Values.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- toYaml .Values.topologySpreadConstraints | nindent 4 }}
  {{- else if gt (int .Values.replicas) 1 }}
  # Pods of an upgrade are spread among themselves, whatever nodes the former ones are on.
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "fairlead-hub.selectorLabels" . | nindent 10 }}
      matchLabelKeys: [pod-template-hash]
  {{- end }}
{{- end -}}
