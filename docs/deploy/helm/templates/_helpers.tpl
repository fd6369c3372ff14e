{{- define "stead.selector" -}}
app.kubernetes.io/name: stead
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "stead.labels" -}}
{{ include "stead.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
