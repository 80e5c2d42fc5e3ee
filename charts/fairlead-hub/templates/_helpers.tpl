{{- define "fairlead-hub.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "fairlead-hub.labels" -}}
{{ include "fairlead-hub.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: fairlead
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "fairlead-hub.selectorLabels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "fairlead-hub.image" -}}
{{- with .Values.image -}}
{{- $name := .repository -}}
{{- if .registry }}{{ $name = printf "%s/%s" .registry .repository }}{{ end -}}
{{- if .digest -}}
{{- printf "%s@%s" $name .digest -}}
{{- else -}}
{{- printf "%s:%s" $name (default $.Chart.AppVersion .tag) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "fairlead-hub.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "fairlead-hub.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* Host of an URL, without its port. */}}
{{- define "fairlead-hub.host" -}}
{{- regexReplaceAll ":[0-9]+$" (urlParse .).host "" -}}
{{- end -}}

{{/* What agents' listener speaks. */}}
{{- define "fairlead-hub.agentScheme" -}}
{{- ternary "http" "https" (eq (toString .Values.config.meshIdentityPlaintext) "true") -}}
{{- end -}}

{{- define "fairlead-hub.agentPublicUrl" -}}
{{- $port := int .Values.service.agents.port -}}
{{- if or .Values.ingress.agents.enabled .Values.routes.agents.enabled }}{{ $port = 443 }}{{ end -}}
{{- default (printf "%s://%s:%d" (include "fairlead-hub.agentScheme" .) (include "fairlead-hub.host" .Values.publicUrl) $port) .Values.agentPublicUrl -}}
{{- end -}}

{{/* "true" where other hubs use the database, too; else empty. */}}
{{- define "fairlead-hub.isShared" -}}
{{- if or .Values.database.shared (gt (int .Values.replicas) 1) }}true{{ end -}}
{{- end -}}

{{/* "true" where the data folder is on a claim. Of several pods each has a folder of its own, which ends with it. */}}
{{- define "fairlead-hub.hasClaim" -}}
{{- if and .Values.persistence.enabled (eq (int .Values.replicas) 1) }}true{{ end -}}
{{- end -}}

{{/* "true" where there is a data folder: several hubs keep what lasts in their database. */}}
{{- define "fairlead-hub.hasFolder" -}}
{{- if or .Values.persistence.enabled (include "fairlead-hub.isShared" .) }}true{{ end -}}
{{- end -}}

{{/* The ConfigMap with declarations; empty where there is none. */}}
{{- define "fairlead-hub.declarations" -}}
{{- if .Values.declarations.files -}}
{{- printf "%s-declarations" (include "fairlead-hub.fullname" .) -}}
{{- else -}}
{{- .Values.declarations.configMap -}}
{{- end -}}
{{- end -}}

{{/* The hub's YAML file: what is asked for, and what only the chart can know. */}}
{{- define "fairlead-hub.config" -}}
{{- $own := dict "listen" "0.0.0.0:8443" "agentListen" "0.0.0.0:8444" "publicUrl" .Values.publicUrl "agentPublicUrl" (include "fairlead-hub.agentPublicUrl" .) -}}
{{- $unlessSaid := dict -}}
{{- if include "fairlead-hub.isShared" . -}}
{{- /* A database that is away, or that a hub alone still has, is waited for; less than the startup probe allows. */ -}}
{{- $_ := set $unlessSaid "waitForStore" "2m30s" -}}
{{- end -}}
{{- if include "fairlead-hub.hasFolder" . -}}
{{- $_ := set $own "dataDir" "/var/lib/fairlead-hub/data" -}}
{{- if not .Values.persistence.holdsSockets -}}
{{- $_ := set $own "postgresSocketDir" "/run/fairlead-hub" -}}
{{- end -}}
{{- else -}}
{{- $_ := set $own "inMemory" true -}}
{{- end -}}
{{- if .Values.tls.existingSecret -}}
{{- $_ := set $own "tlsCertFile" "/etc/fairlead/tls/tls.crt" -}}
{{- $_ := set $own "tlsKeyFile" "/etc/fairlead/tls/tls.key" -}}
{{- end -}}
{{- with .Values.authority.keyEncryptionKey -}}
{{- if .existingSecret -}}
{{- $_ := set $own "keyEncryptionKeyFile" "/etc/fairlead/authority/key-encryption-key" -}}
{{- end -}}
{{- if .previousKey -}}
{{- $_ := set $own "previousKeyEncryptionKeyFile" "/etc/fairlead/authority/previous-key-encryption-key" -}}
{{- end -}}
{{- end -}}
{{- with .Values.authority.given -}}
{{- if .existingSecret -}}
{{- $_ := set $own "caCertFile" "/etc/fairlead/ca/tls.crt" -}}
{{- $_ := set $own "caKeyFile" "/etc/fairlead/ca/tls.key" -}}
{{- end -}}
{{- if .nextSecret -}}
{{- $_ := set $own "nextCaCertFile" "/etc/fairlead/next-ca/tls.crt" -}}
{{- $_ := set $own "nextCaKeyFile" "/etc/fairlead/next-ca/tls.key" -}}
{{- end -}}
{{- end -}}
{{- if include "fairlead-hub.declarations" . -}}
{{- $_ := set $own "declarations" "/etc/fairlead/declarations" -}}
{{- end -}}
{{- if .Values.database.existingSecret -}}
{{- $_ := set $own "databaseUrlFile" "/etc/fairlead/database/url" -}}
{{- end -}}
{{- if .Values.database.caBundle.configMap -}}
{{- $_ := set $own "databaseCaFile" "/etc/fairlead/database-ca/ca.crt" -}}
{{- end -}}
{{- if .Values.bus.listenUrl.existingSecret -}}
{{- $_ := set $own "busListenUrlFile" "/etc/fairlead/bus/listen-url" -}}
{{- end -}}
{{- with .Values.bus.nats -}}
{{- if .urls -}}
{{- $_ := set $own "busNatsUrl" .urls -}}
{{- $_ := set $own "busNatsSubjectPrefix" .subjectPrefix -}}
{{- end -}}
{{- if .credentials.existingSecret -}}
{{- $_ := set $own "busNatsCredentialsFile" "/etc/fairlead/nats-credentials/credentials" -}}
{{- end -}}
{{- if .clientCertificate.existingSecret -}}
{{- $_ := set $own "busNatsCertFile" "/etc/fairlead/nats-certificate/tls.crt" -}}
{{- $_ := set $own "busNatsKeyFile" "/etc/fairlead/nats-certificate/tls.key" -}}
{{- end -}}
{{- if .caBundle.configMap -}}
{{- $_ := set $own "busNatsCaFile" "/etc/fairlead/nats-ca/ca.crt" -}}
{{- end -}}
{{- end -}}
{{- if .Values.metrics.listen.enabled -}}
{{- $_ := set $own "metricsListen" (printf "0.0.0.0:%d" (int .Values.metrics.listen.port)) -}}
{{- end -}}
{{- $_ := set $own "hubNamespace" .Release.Namespace -}}
{{- if .Values.argo.kubeconfig.existingSecret -}}
{{- $_ := set $own "argoKubeconfig" "/etc/fairlead/argo/kubeconfig" -}}
{{- end -}}
{{- if .Values.argo.inCluster -}}
{{- $_ := set $own "argoKubeconfig" "in-cluster" -}}
{{- end -}}
{{- if .Values.argo.clusterSecrets.enabled -}}
{{- $_ := set $own "argoClusterSecrets" true -}}
{{- end -}}
{{- with .Values.argo.shared -}}
{{- if .redis -}}
{{- $_ := set $own "argoSharedRedis" .redis -}}
{{- end -}}
{{- if .repoServer -}}
{{- $_ := set $own "argoSharedRepoServer" .repoServer -}}
{{- end -}}
{{- if .clusters -}}
{{- $_ := set $own "argoShareWith" .clusters -}}
{{- end -}}
{{- end -}}
{{- with .Values.argo.redis -}}
{{- if .enabled -}}
{{- $_ := set $own "argoRedisListen" "0.0.0.0:6379" -}}
{{- $_ := set $own "argoRedisPasswordFile" "/etc/fairlead/argo-redis/password" -}}
{{- $_ := set $own "argoRedisUpstream" .upstream.url -}}
{{- if .tls.existingSecret -}}
{{- $_ := set $own "argoRedisTlsCertFile" "/etc/fairlead/argo-redis-tls/tls.crt" -}}
{{- $_ := set $own "argoRedisTlsKeyFile" "/etc/fairlead/argo-redis-tls/tls.key" -}}
{{- end -}}
{{- if .upstream.username -}}
{{- $_ := set $own "argoRedisUpstreamUsername" .upstream.username -}}
{{- end -}}
{{- if .upstream.password.existingSecret -}}
{{- $_ := set $own "argoRedisUpstreamPasswordFile" "/etc/fairlead/argo-redis-upstream/password" -}}
{{- end -}}
{{- if .upstream.caBundle.configMap -}}
{{- $_ := set $own "argoRedisUpstreamCaFile" "/etc/fairlead/argo-redis-upstream-ca/ca.crt" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if .Values.oidc.clientSecret.existingSecret -}}
{{- $_ := set $own "oidcClientSecretFile" "/etc/fairlead/oidc/client-secret" -}}
{{- end -}}
{{- if .Values.oidc.caBundle.configMap -}}
{{- $_ := set $own "oidcCaFile" "/etc/fairlead/oidc-ca/ca.crt" -}}
{{- end -}}
{{- toYaml (merge $own .Values.config $unlessSaid) -}}
{{- end -}}

{{/* A duration such as 1h30m in seconds, rounded up. */}}
{{- define "fairlead-hub.seconds" -}}
{{- $milliseconds := 0 -}}
{{- range regexFindAll "[0-9]+(ms|[dhms])" . -1 -}}
{{- $unit := get (dict "d" 86400000 "h" 3600000 "m" 60000 "s" 1000 "ms" 1) (regexFind "[a-z]+" .) -}}
{{- $milliseconds = add $milliseconds (mul (regexFind "[0-9]+" . | int64) $unit) -}}
{{- end -}}
{{- div (add $milliseconds 999) 1000 -}}
{{- end -}}

{{/* The newest version of a kind of the Gateway API that the cluster serves. */}}
{{- define "fairlead-hub.tlsRouteVersion" -}}
{{- $group := "gateway.networking.k8s.io" -}}
{{- $served := "v1alpha2" -}}
{{- range list "v1alpha3" "v1" -}}
{{- if $.Capabilities.APIVersions.Has (printf "%s/%s/TLSRoute" $group .) }}{{ $served = . }}{{ end -}}
{{- end -}}
{{- printf "%s/%s" $group $served -}}
{{- end -}}

{{- define "fairlead-hub.backendTlsVersion" -}}
{{- $group := "gateway.networking.k8s.io" -}}
{{- $isOld := and ($.Capabilities.APIVersions.Has (printf "%s/v1alpha3/BackendTLSPolicy" $group)) (not ($.Capabilities.APIVersions.Has (printf "%s/v1/BackendTLSPolicy" $group))) -}}
{{- printf "%s/%s" $group (ternary "v1alpha3" "v1" $isOld) -}}
{{- end -}}
