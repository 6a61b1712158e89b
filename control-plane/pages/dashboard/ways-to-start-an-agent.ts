/** How an agent of a location is started, as text to copy. Pure. */

type WayToStart = { name: string; text: string; note: string }

type Place = {
  /** Where agents reach the control plane. */
  controlPlaneUrl: string
  slugName: string
  /** Of the images. */
  version: string
}

/** Keys are shown once, when they are made: here stands what has to be put in. */
const keyPlaceholder = 'pl_THE_KEY_OF_THIS_LOCATION'

export const waysToStart = ({ controlPlaneUrl, slugName, version }: Place): WayToStart[] => {
  const name = `watchpost-agent-${slugName.toLowerCase()}`
  return [
    {
      name: 'Docker',
      note: 'On any machine with Docker. The key stays in a file that only you can read.',
      text: `(umask 077 && printf 'API_KEY=%s\\n' '${keyPlaceholder}' > agent.env)
docker run -d --name ${name} --restart unless-stopped --shm-size 1g \\
  -e CONTROL_PLANE_URL=${controlPlaneUrl} --env-file agent.env \\
  watchpost/agent:${version}`,
    },
    {
      name: 'Helm',
      note: 'In a cluster, from a copy of the repository.',
      text: `kubectl create namespace watchpost
kubectl -n watchpost create secret generic ${name} --from-literal=api-key=${keyPlaceholder}
helm -n watchpost install ${name} ./helm/agent \\
  --set controlPlaneUrl=${controlPlaneUrl} --set apiKey.existingSecret=${name}`,
    },
    {
      name: 'systemd',
      note: 'On a machine with Node 24 and the project in /opt/watchpost, as root.',
      text: `cp /opt/watchpost/docs/deploy/systemd/watchpost-agent.service /etc/systemd/system/
mkdir -p /etc/watchpost
printf 'CONTROL_PLANE_URL=${controlPlaneUrl}\\n' > /etc/watchpost/agent.env
(umask 077 && printf '%s' '${keyPlaceholder}' > /etc/watchpost/agent-key)
systemctl enable --now watchpost-agent`,
    },
  ]
}
