/** TLS: the certificate or the handshake. */
import { type Told, tell } from '../../../platform/words/told.ts'
import { codeOf, type Facts, hostOf, messageOf } from '../facts.ts'
import { artifact, evidence, type Rule, rfc } from './rule.ts'

const warned = (facts: Facts): Told =>
  tell`Browsers show a warning instead of ${hostOf(facts)}; API clients refuse to connect.`

const presented = ({ run }: Facts) => {
  const certificate = run.http?.certificate
  if (!certificate) return []
  const { subject, issuer, validFrom, validTo, daysRemaining } = certificate
  return [
    evidence(
      `The certificate is for ${subject}, issued by ${issuer}, valid from ${validFrom} to ${validTo} (${daysRemaining} days left).`,
      artifact.certificate,
    ),
  ]
}

const codes =
  (...accepted: string[]) =>
  (facts: Facts): boolean =>
    accepted.includes(codeOf(facts)) || accepted.some((code) => messageOf(facts).includes(code))

export const certificateRules: Rule[] = [
  {
    id: 'certificate-expired',
    classification: 'CERTIFICATE_ERROR',
    applies: codes('CERT_HAS_EXPIRED', 'ERR_CERT_DATE_INVALID'),
    rootCause: (facts) =>
      tell`The TLS certificate of ${hostOf(facts)} has expired. Everything else on the way to it worked: name, connection and handshake up to the certificate.`,
    userImpact: warned,
    fix: () =>
      tell`Renew the certificate and reload the server: a renewed file that no process has loaded is the most frequent cause. Then find out why the 
        automatic renewal did not run (ACME challenge, permissions, changed DNS), and turn on \`sslExpiry\` of an alert channel to hear of it in time.`,
    evidence: presented,
    links: [rfc(5280, '4.1.2.5', 'validity')],
  },
  {
    id: 'certificate-revoked',
    classification: 'CERTIFICATE_ERROR',
    applies: codes('CERT_REVOKED', 'ERR_CERT_REVOKED'),
    rootCause: (facts) =>
      tell`The authority that issued the TLS certificate of ${hostOf(facts)} has revoked it, and the server itself sends the answer along that says so (OCSP stapling).`,
    userImpact: warned,
    fix: () =>
      tell`Issue a new certificate with a new key and put it in place. Find out who revoked the old one and why: an authority does so for a stolen key or for 
        an issuance of its own that went wrong, and tells the contact of the account.`,
    evidence: presented,
    links: [rfc(6960, '2.2', 'response')],
  },
  {
    id: 'certificate-not-yet-valid',
    classification: 'CERTIFICATE_ERROR',
    applies: codes('CERT_NOT_YET_VALID'),
    rootCause: (facts) =>
      tell`The TLS certificate of ${hostOf(facts)} is not valid yet: it was put in place before its time, or the clock of the agent's machine is behind.`,
    userImpact: warned,
    fix: () =>
      tell`Compare the certificate's start with the time on the agent's machine. If the clock is right, serve the previous certificate until then.`,
    evidence: presented,
    links: [rfc(5280, '4.1.2.5', 'validity')],
  },
  {
    id: 'certificate-wrong-name',
    classification: 'CERTIFICATE_ERROR',
    applies: codes('ERR_TLS_CERT_ALTNAME_INVALID', 'ERR_CERT_COMMON_NAME_INVALID'),
    rootCause: (facts) =>
      tell`The server presented a certificate for another name than ${hostOf(facts)}: the request reached the wrong virtual host, or the certificate was 
        issued without this name.`,
    userImpact: warned,
    fix: (facts) =>
      tell`See which names the certificate carries and whether ${hostOf(facts)} resolves to the right machine. A default certificate usually means that the 
        virtual host or ingress of this name is missing.`,
    evidence: (facts) => [
      ...presented(facts),
      ...(facts.run.http?.certificate
        ? [
            evidence(
              `Names in it: ${facts.run.http.certificate.altNames.slice(0, 20).join(', ') || 'none'}.`,
              artifact.certificate,
            ),
          ]
        : []),
    ],
    links: [rfc(9525, '6', 'verifying service identity')],
  },
  {
    id: 'certificate-self-signed',
    classification: 'CERTIFICATE_ERROR',
    applies: codes('DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'ERR_CERT_AUTHORITY_INVALID'),
    rootCause: (facts) =>
      tell`The certificate of ${hostOf(facts)} comes from an authority that the agent does not trust: it is self-signed, or from a private authority.`,
    userImpact: (facts) =>
      tell`Clients that do not know this authority refuse ${hostOf(facts)}; those that have it installed notice nothing.`,
    fix: () =>
      tell`If a private authority is meant to be used, give its certificate to the agents with EXTRA_CA_CERTS. If not, the server lost its real certificate: 
        look for a fresh installation, a proxy in between, or a failed renewal that fell back to a default.`,
    evidence: presented,
    links: [rfc(5280, '6', 'path validation')],
  },
  {
    id: 'certificate-chain-incomplete',
    classification: 'CERTIFICATE_ERROR',
    applies: codes(
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'UNABLE_TO_GET_ISSUER_CERT',
    ),
    rootCause: (facts) =>
      tell`The chain of the certificate of ${hostOf(facts)} cannot be followed to a trusted root: the server does not send its intermediate certificate, or 
        the root is unknown to the agent.`,
    userImpact: () =>
      tell`Browsers that know the intermediate from elsewhere still work; API clients, mobile apps and new browsers fail.`,
    fix: () =>
      tell`Install the full chain (leaf first, then the intermediates) on the server. \`openssl s_client -showcerts\` shows what is sent now.`,
    evidence: presented,
    links: [rfc(8446, '4.4.2', 'certificate message')],
  },
  {
    id: 'handshake-reset',
    classification: 'TLS_ERROR',
    applies: (facts) => /closed the connection during the TLS handshake/.test(messageOf(facts)),
    rootCause: (facts) =>
      tell`${hostOf(facts)} closed the connection in the middle of the TLS handshake. It accepts connections, so a proxy or server there does not like the 
        handshake: no certificate for this name, a required client certificate, or a backend of a TLS pass-through that is down.`,
    userImpact: (facts) => tell`Nobody gets a secure connection to ${hostOf(facts)}.`,
    fix: () =>
      tell`Look at the TLS errors in the log of the server or ingress. If it asks for client certificates, store one for this host so that checks present it.`,
    links: [rfc(8446, '6', 'alert protocol')],
  },
  {
    id: 'handshake-timeout',
    classification: 'TLS_ERROR',
    applies: (facts) => /TLS handshake with .* was not finished/.test(messageOf(facts)),
    rootCause: (facts) =>
      tell`${hostOf(facts)} accepted the connection but did not finish the TLS handshake before the time limit: the process is overloaded or stuck, or large packets 
        are lost on the way (path MTU).`,
    userImpact: (facts) => tell`Users wait for ${hostOf(facts)} and give up.`,
    fix: () =>
      tell`Check the CPU and the number of connections of whatever ends TLS. If only some locations fail, suspect the path: ICMP "fragmentation needed" filtered by a firewall.`,
    links: [rfc(8446, '2', 'protocol overview')],
  },
  {
    id: 'handshake-failed',
    classification: 'TLS_ERROR',
    applies: (facts) =>
      /TLS handshake/.test(messageOf(facts)) ||
      /^(ERR_SSL|EPROTO)/.test(codeOf(facts)) ||
      /ERR_SSL_/.test(messageOf(facts)),
    rootCause: (facts) =>
      tell`The TLS handshake with ${hostOf(facts)} failed: ${messageOf(facts)}. The two sides found no common protocol version or cipher, or the port does not speak TLS.`,
    userImpact: (facts) =>
      tell`Clients with the same settings as the agent cannot connect securely to ${hostOf(facts)}.`,
    fix: () =>
      tell`Was the TLS configuration of the server changed? It should offer TLS 1.2 and 1.3. "wrong version number" means that plain HTTP is spoken on this port.`,
    links: [rfc(8446, '4.1.1', 'cryptographic negotiation')],
  },
]
