{{/* The name of everything that is Conch's. */}}
{{- define "conch.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "conch.tritonName" -}}
{{- printf "%s-triton" (include "conch.fullname" .) -}}
{{- end -}}

{{- define "conch.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: gateway
{{- end -}}

{{- define "conch.tritonSelector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: triton
{{- end -}}

{{- define "conch.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "conch.image" -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}

{{- define "conch.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "conch.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* The Secret whose entries are variables; empty where there is none. */}}
{{- define "conch.secretName" -}}
{{- if .Values.secrets.existingSecret -}}
{{- .Values.secrets.existingSecret -}}
{{- else if .Values.secrets.values -}}
{{- include "conch.fullname" . -}}
{{- end -}}
{{- end -}}

{{- define "conch.scheme" -}}
{{- if .Values.tls.existingSecret -}}https{{- else -}}http{{- end -}}
{{- end -}}

{{/* All Tritons, as --triton wants them. */}}
{{- define "conch.tritonAddresses" -}}
{{- $all := .Values.triton.addresses -}}
{{- if .Values.triton.enabled -}}
{{- $all = append $all (printf "dns:%s.%s.svc:8001" (include "conch.tritonName" .) .Release.Namespace) -}}
{{- end -}}
{{- if not $all -}}
{{- fail "Conch needs a Triton: set triton.addresses, or leave triton.enabled." -}}
{{- end -}}
{{- join "," $all -}}
{{- end -}}

{{- define "conch.probe" -}}
httpGet:
  path: {{ .path }}
  port: http
  scheme: {{ include "conch.scheme" .root | upper }}
  {{- with .root.Values.probes.httpHeaders }}
  httpHeaders:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{- define "conch.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "conch.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}
