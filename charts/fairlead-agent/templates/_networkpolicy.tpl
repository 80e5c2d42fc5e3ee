{{/*
What a role's pods may reach, and who may reach them. Takes: root (the chart's scope), role, name; may be missing: port (of one
more server), peers (namespaces of the cluster with ports, as {namespace, ports}), servedPorts and servedTo (YAML of ports and
peers whom the role serves).
*/}}
{{- define "fairlead-agent.networkPolicy" -}}
{{- $root := .root -}}
{{- $policy := $root.Values.networkPolicy -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ .name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "fairlead-agent.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
spec:
  podSelector:
    matchLabels:
      {{- include "fairlead-agent.selectorLabels" $root | nindent 6 }}
      app.kubernetes.io/component: {{ .role }}
  policyTypes: [Ingress, Egress]
  # Nobody else calls the agent. The kubelet does, from the pod's own node, which a NetworkPolicy never keeps out.
  {{- if or $policy.metricsFrom .servedPorts }}
  ingress:
    {{- with $policy.metricsFrom }}
    - from:
        {{- toYaml . | nindent 8 }}
      ports:
        - { protocol: TCP, port: {{ ternary "metrics" "health" $root.Values.metrics.listen.enabled }} }
    {{- end }}
    {{- if .servedPorts }}
    - from:
        {{- toYaml .servedTo | nindent 8 }}
      ports:
        {{- .servedPorts | nindent 8 }}
    {{- end }}
  {{- else }}
  ingress: []
  {{- end }}
  egress:
    - ports:
        - { protocol: UDP, port: 53 }
        - { protocol: TCP, port: 53 }
    - ports:
        {{- range splitList "\n" (include "fairlead-agent.hubPorts" $root) }}
        - { protocol: TCP, port: {{ . }} }
        {{- end }}
      {{- with $policy.hubPeers }}
      to:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    - ports:
        {{- range $policy.apiServerPorts }}
        - { protocol: TCP, port: {{ . }} }
        {{- end }}
      {{- with $policy.apiServerPeers }}
      to:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    {{- with .port }}
    - ports:
        - { protocol: TCP, port: {{ . }} }
    {{- end }}
    {{- range .peers }}
    - ports:
        {{- range .ports }}
        - { protocol: TCP, port: {{ . }} }
        {{- end }}
      to:
        - namespaceSelector:
            matchLabels:
              kubernetes.io/metadata.name: {{ .namespace }}
    {{- end }}
    {{- with $policy.extraEgress }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}
