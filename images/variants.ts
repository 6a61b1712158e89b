/** The images, in the order in which they can be built: one that is made from another comes after it. */
export type Variant = {
  name: 'agent' | 'uptime' | 'control-plane' | 'dev' | 'migrate'
  repository: string
  dockerfile: string
  /** Its Dockerfile begins with the agent's image. */
  fromAgent: boolean
}

export const variants: readonly Variant[] = [
  { name: 'agent', repository: 'watchpost/agent', dockerfile: 'Dockerfile.agent', fromAgent: false },
  { name: 'uptime', repository: 'watchpost/agent-uptime', dockerfile: 'Dockerfile.uptime', fromAgent: false },
  {
    name: 'control-plane',
    repository: 'watchpost/control-plane',
    dockerfile: 'images/control-plane/Dockerfile',
    fromAgent: false,
  },
  { name: 'dev', repository: 'watchpost/agent-dev', dockerfile: 'images/dev/Dockerfile', fromAgent: true },
  {
    name: 'migrate',
    repository: 'watchpost/agent-migrate',
    dockerfile: 'images/migrate/Dockerfile',
    fromAgent: true,
  },
]

/** Short names have no registry: an engine finds what it has built itself under `localhost/`. */
export const tagOf = ({ repository }: Variant, version: string): string => `${repository}:${version}`
