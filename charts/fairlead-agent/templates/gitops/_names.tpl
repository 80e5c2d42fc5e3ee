{{- define "fairlead-agent.gitops.name" -}}
{{- printf "%s-gitops" (include "fairlead-agent.fullname" .) -}}
{{- end -}}

{{- define "fairlead-agent.gitops.serviceAccount" -}}
{{- default (include "fairlead-agent.gitops.name" .) .Values.gitops.serviceAccount.name -}}
{{- end -}}

{{- define "fairlead-agent.gitops.identitySecret" -}}
{{- printf "%s-identity" (include "fairlead-agent.gitops.name" .) -}}
{{- end -}}

{{/* Arguments of the role: YAML strings, one a line. */}}
{{- define "fairlead-agent.gitops.args" -}}
{{- with .Values.gitops -}}
- --gitops-lease={{ include "fairlead-agent.gitops.name" $ }}
- --gitops-modes={{ join "," .modes }}
- --argo-namespace={{ .argoNamespace }}
{{- with .applicationNamespaces }}
- --argo-application-namespaces={{ join "," . }}
{{- end }}
{{- with .redis }}
{{- if .address }}
- --argo-redis-address={{ .address }}
{{- if .username }}
- --argo-redis-username={{ .username }}
{{- end }}
{{- if .password.existingSecret }}
- --argo-redis-password-file=/etc/fairlead/argo-redis/password
{{- end }}
{{- if .tls }}
- --argo-redis-tls=true
{{- end }}
{{- if .caBundle.configMap }}
- --argo-redis-ca-file=/etc/fairlead/argo-redis-ca/ca.crt
{{- end }}
{{- end }}
{{- end }}
{{- if .hubBackends.redis.enabled }}
- --argo-hub-redis-listen=0.0.0.0:6379
{{- end }}
{{- if .hubBackends.repoServer.enabled }}
- --argo-hub-repo-server-listen=0.0.0.0:8081
{{- end }}
{{- end -}}
{{- end -}}

{{/* Folders of the role with what it needs for Argo CD's Redis: mounts, and the volumes behind them. */}}
{{- define "fairlead-agent.gitops.mounts" -}}
{{- with .Values.gitops.redis -}}
{{- if and .address .password.existingSecret }}
- name: argo-redis
  mountPath: /etc/fairlead/argo-redis
  readOnly: true
{{- end }}
{{- if and .address .caBundle.configMap }}
- name: argo-redis-ca
  mountPath: /etc/fairlead/argo-redis-ca
  readOnly: true
{{- end }}
{{- end -}}
{{- end -}}

{{- define "fairlead-agent.gitops.volumes" -}}
{{- with .Values.gitops.redis -}}
{{- if and .address .password.existingSecret }}
- name: argo-redis
  secret:
    secretName: {{ .password.existingSecret }}
    defaultMode: 0440
    items:
      - { key: {{ .password.key | quote }}, path: password }
{{- end }}
{{- if and .address .caBundle.configMap }}
- name: argo-redis-ca
  configMap:
    name: {{ .caBundle.configMap }}
    items:
      - { key: {{ .caBundle.key | quote }}, path: ca.crt }
{{- end }}
{{- end -}}
{{- end -}}

{{/* The port of Argo CD's Redis; empty where the role doesn't read it. */}}
{{- define "fairlead-agent.gitops.redisPort" -}}
{{- with .Values.gitops.redis.address }}{{ regexFind "[0-9]+$" . }}{{ end -}}
{{- end -}}

{{/* The ports on which the role listens for the cluster's Argo CD; empty where it doesn't. */}}
{{- define "fairlead-agent.gitops.backendPorts" -}}
{{- with .Values.gitops.hubBackends -}}
{{- if .redis.enabled }}
- { protocol: TCP, port: 6379 }
{{- end }}
{{- if .repoServer.enabled }}
- { protocol: TCP, port: 8081 }
{{- end }}
{{- end -}}
{{- end -}}
