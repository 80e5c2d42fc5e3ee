{{- define "fairlead-agent.fullname" -}}
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

{{/* Names of cluster-wide objects say the namespace too: two releases of one name may be in two namespaces. */}}
{{- define "fairlead-agent.clusterName" -}}
{{- printf "%s:%s" .Release.Namespace (include "fairlead-agent.fullname" .) -}}
{{- end -}}

{{- define "fairlead-agent.labels" -}}
{{ include "fairlead-agent.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: fairlead
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "fairlead-agent.selectorLabels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* Takes: root (the chart's scope), own (repository, tag and digest of a role that has an image of its own, may be missing). */}}
{{- define "fairlead-agent.image" -}}
{{- $common := .root.Values.image -}}
{{- $own := default dict .own -}}
{{- $repository := default $common.repository $own.repository -}}
{{- $name := $repository -}}
{{- if $common.registry }}{{ $name = printf "%s/%s" $common.registry $repository }}{{ end -}}
{{- $digest := default (ternary $common.digest "" (and (eq $repository $common.repository) (not $own.tag))) $own.digest -}}
{{- if $digest -}}
{{- printf "%s@%s" $name $digest -}}
{{- else -}}
{{- printf "%s:%s" $name (coalesce $own.tag $common.tag .root.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{- define "fairlead-agent.tokenSecret" -}}
{{- default (printf "%s-token" (include "fairlead-agent.fullname" .)) .Values.token.existingSecret -}}
{{- end -}}

{{/* "true" where the role's pods have something to keep. Takes: root (the chart's scope), role. */}}
{{- define "fairlead-agent.hasIdentitySecret" -}}
{{- if or (ne .root.Values.identity "mesh") (eq .role "observe") }}true{{ end -}}
{{- end -}}

{{/* The ports that egress to the hub, or to the HTTP proxy on the way to it, needs: one a line. */}}
{{- define "fairlead-agent.hubPorts" -}}
{{- if .Values.networkPolicy.hubPorts -}}
{{- join "\n" .Values.networkPolicy.hubPorts -}}
{{- else if .Values.hub.httpsProxy.existingSecret -}}
{{- fail "networkPolicy.hubPorts: name the HTTP proxy's port; its URL is in a Secret that this chart can't read." -}}
{{- else -}}
{{- $url := urlParse (default .Values.hub.url .Values.hub.httpsProxy.url) -}}
{{- $port := regexFind "[0-9]+$" (regexFind ":[0-9]+$" $url.host) -}}
{{- default (ternary "80" "443" (has $url.scheme (list "http" "ws"))) $port -}}
{{- end -}}
{{- end -}}

{{/* What only shows when values are seen together; the schema holds the rest. */}}
{{- define "fairlead-agent.check" -}}
{{- if not .Values.image.registry -}}
{{- fail "image.registry: no image of Fairlead is published yet, so name the registry that you pushed yours to; docs/install.md#3-images says how to make it. For an image that all nodes have already, as after 'kind load docker-image', set docker.io." -}}
{{- end -}}
{{- range $role := list "proxy" "observe" "execute" "gitops" -}}
{{- $values := get $.Values $role -}}
{{- $mounted := dict -}}
{{- range $values.extraVolumes }}{{ $_ := set $mounted .name true }}{{ end -}}
{{- range $values.extraVolumeMounts -}}
{{- if not (hasKey $mounted .name) -}}
{{- fail (printf "%s.extraVolumeMounts: extraVolumes has no volume %q." $role .name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and .Values.metrics.listen.enabled (eq (int .Values.metrics.listen.port) (int .Values.health.port)) -}}
{{- fail "metrics.listen.port: health.port has it; metrics.listen is a port of its own." -}}
{{- end -}}
{{- if and (or .Values.metrics.podMonitor.enabled .Values.metrics.listen.enabled) .Values.networkPolicy.enabled (not .Values.networkPolicy.metricsFrom) -}}
{{- fail "networkPolicy.metricsFrom: name Prometheus's pods: without it the NetworkPolicy keeps them from the agent's /metrics." -}}
{{- end -}}
{{- $token := .Values.token -}}
{{- $isMesh := eq .Values.identity "mesh" -}}
{{- if and $isMesh (or $token.existingSecret $token.value) -}}
{{- fail "token: with identity=mesh nobody enrolls; set none." -}}
{{- end -}}
{{- if and $isMesh (hasPrefix "http:" .Values.hub.url | or (hasPrefix "ws:" .Values.hub.url)) (or .Values.hub.httpsProxy.url .Values.hub.httpsProxy.existingSecret) -}}
{{- fail "hub.httpsProxy: a hub without TLS is reached through the mesh, and through no other proxy." -}}
{{- end -}}
{{- if and $isMesh (regexMatch "^(https|wss):" .Values.hub.url) (not (or .Values.hub.caBundle.configMap .Values.hub.caBundle.secret .Values.hub.caBundle.system)) -}}
{{- fail "hub.caBundle: with identity=mesh no token says whom to trust; name what signed the certificate at hub.url." -}}
{{- end -}}
{{- if and (not $isMesh) (not $token.existingSecret) (not $token.value) -}}
{{- fail "token: set token.existingSecret (a Secret with the join token) or --set-file token.value=FILE. `fairlead cluster add NAME` makes a token." -}}
{{- end -}}
{{- if and $token.existingSecret $token.value -}}
{{- fail "token: set token.existingSecret or token.value, not both." -}}
{{- end -}}
{{- if and $token.value (not (regexMatch "^flj_[0-9a-z]{8,64}_[0-9a-z]{26,64}_[0-9a-f]{64}$" (trim $token.value))) -}}
{{- fail "token.value is incomplete or isn't a join token. It starts with flj_ and is one line." -}}
{{- end -}}
{{- $gateway := .Values.gateway -}}
{{- if and $gateway.kind (not $gateway.name) -}}
{{- fail "gateway.name: name the Gateway, or for gateway.kind=ingress the IngressClass." -}}
{{- end -}}
{{- if and (not $gateway.kind) (or $gateway.name $gateway.namespace) -}}
{{- fail "gateway.kind: say what it is: gateway-api, istio or ingress." -}}
{{- end -}}
{{- if and (eq $gateway.kind "ingress") $gateway.namespace -}}
{{- fail "gateway.namespace: an IngressClass has none." -}}
{{- end -}}
{{- if and $gateway.kind (ne $gateway.kind "ingress") (not $gateway.namespace) -}}
{{- fail "gateway.namespace: name the namespace that the Gateway is in." -}}
{{- end -}}
{{- $proxy := .Values.hub.httpsProxy -}}
{{- if contains "@" $proxy.url -}}
{{- fail "hub.httpsProxy.url: no credentials here, where everyone can read them; put the whole URL into the key HTTPS_PROXY of a Secret and name that as hub.httpsProxy.existingSecret." -}}
{{- end -}}
{{- if and $proxy.url (not (regexMatch "^https?://[^\\s/?#]+/?$" $proxy.url)) -}}
{{- fail "hub.httpsProxy.url isn't http://HOST:PORT or https://HOST:PORT." -}}
{{- end -}}
{{- $ca := .Values.hub.caBundle -}}
{{- if gt (len (compact (list $ca.configMap $ca.secret (ternary "system" "" $ca.system)))) 1 -}}
{{- fail "hub.caBundle: set one of configMap, secret and system." -}}
{{- end -}}
{{- if and $proxy.url $proxy.existingSecret -}}
{{- fail "hub.httpsProxy: set url or existingSecret, not both." -}}
{{- end -}}
{{- if and .Values.rbac.create (not .Values.proxy.serviceAccount.create) (not .Values.proxy.serviceAccount.name) -}}
{{- fail "proxy.serviceAccount.name: name the account that is to be used. The namespace's default account isn't given rights." -}}
{{- end -}}
{{- $account := .Values.observe.serviceAccount -}}
{{- if and .Values.observe.enabled .Values.rbac.create (not $account.create) (not $account.name) -}}
{{- fail "observe.serviceAccount.name: name the account that is to be used. The namespace's default account isn't given rights." -}}
{{- end -}}
{{- $executor := .Values.execute.serviceAccount -}}
{{- if and .Values.execute.enabled .Values.rbac.create (not $executor.create) (not $executor.name) -}}
{{- fail "execute.serviceAccount.name: name the account that is to be used. The namespace's default account isn't given rights." -}}
{{- end -}}
{{- $syncer := .Values.gitops.serviceAccount -}}
{{- if and .Values.gitops.enabled .Values.rbac.create (not $syncer.create) (not $syncer.name) -}}
{{- fail "gitops.serviceAccount.name: name the account that is to be used. The namespace's default account isn't given rights." -}}
{{- end -}}
{{- with .Values.execute -}}
{{- $hasRights := or .rights.namespaces .rights.wholeClusterRole .rights.impersonate .rights.boundElsewhere -}}
{{- if and .enabled $.Values.rbac.create .serviceAccount.create (not $hasRights) -}}
{{- fail "execute.rights: commands would have no rights in this cluster, and each would end in an error. Choose namespaces (execute.rights.namespaces={team-a}), a ClusterRole for the whole cluster (execute.rights.wholeClusterRole) or ServiceAccounts (execute.rights.impersonate), or say that bindings of your own give them (execute.rights.boundElsewhere=true)." -}}
{{- end -}}
{{- end -}}
{{- if and .Values.execute.enabled (has .Release.Namespace .Values.execute.rights.namespaces) -}}
{{- fail "execute.rights.namespaces: not the release's own: commands could get at the agent's keys by a pod there." -}}
{{- end -}}
{{- if and .Values.observe.enabled (not (include "fairlead-agent.observe.rules" . | trim)) -}}
{{- fail "observe.exclude: nothing is left to observe. Name kinds in observe.include, or set observe.enabled=false." -}}
{{- end -}}
{{- end -}}

{{/* A duration such as 1h30m in seconds, rounded up. */}}
{{- define "fairlead-agent.seconds" -}}
{{- $milliseconds := 0 -}}
{{- range regexFindAll "[0-9]+(ms|[dhms])" . -1 -}}
{{- $unit := get (dict "d" 86400000 "h" 3600000 "m" 60000 "s" 1000 "ms" 1) (regexFind "[a-z]+" .) -}}
{{- $milliseconds = add $milliseconds (mul (regexFind "[0-9]+" . | int64) $unit) -}}
{{- end -}}
{{- div (add $milliseconds 999) 1000 -}}
{{- end -}}
