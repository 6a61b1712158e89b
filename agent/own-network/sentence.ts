import type { Failure } from '../../protocol/result.ts'
import type { Evidence } from './evidence.ts'

type Facts = { evidence: Evidence; failure: Failure | null; silentForMs: number | null }

/** What the result says in place of the failure. */
export const ownNetworkSentence = ({ evidence, failure, silentForMs }: Facts): string => {
  const { routes, controlPlane, nameServers, others } = evidence
  const facts = [
    routes === 'none' ? 'this machine had no route to anywhere' : null,
    routes === 'lost' ? 'its default route was gone' : null,
    routes === 'unplugged' ? 'its network devices were connected with nothing' : null,
    controlPlane === 'silent' ? `the control plane could not be reached${lastAnswer(silentForMs)}` : null,
    nameServers === 'silent' || nameServers === 'never' ? 'no name server answered' : null,
    nameServers === 'cut-off' ? 'the name servers no longer knew those of the root' : null,
    others.failing > 0 && others.passing === 0
      ? `${others.failing} other ${others.failing === 1 ? 'host' : 'hosts'} fell silent at the same time`
      : null,
  ].filter((fact) => fact !== null)
  return `This agent's own network was away (${facts.join('; ')}), so that nothing is known of the target. What was seen: ${failure?.message ?? 'nothing'}`
}

const lastAnswer = (silentForMs: number | null): string =>
  silentForMs === null || silentForMs < 1000
    ? ''
    : `, its last answer came ${Math.round(silentForMs / 1000)} s before`
