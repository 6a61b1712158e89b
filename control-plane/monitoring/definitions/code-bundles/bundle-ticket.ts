/** What an agent shows for the archive of a job: that it was handed out this very one, with this lease. */
import type { Cipher } from '../../../platform/services/secrets/cipher.ts'

type Lease = { jobId: string; fence: number }
type Handout = Lease & { bundleId: string }

const purpose = 'code bundle of a job'

const signed = ({ jobId, fence, bundleId }: Handout): string => `${jobId} ${fence} ${bundleId}`

export const bundleTicketOf = (cipher: Cipher, handout: Handout): string =>
  `${handout.jobId}.${handout.fence}.${cipher.sign(signed(handout), purpose).toString('base64url')}`

/** The lease for which it was written, or null: it is none for this bundle. */
export const leaseOfTicket = (cipher: Cipher, ticket: string, bundleId: string): Lease | null => {
  const [, jobId = '', digits = '', signature = ''] =
    /^([\w-]{1,64})\.(\d{1,16})\.([\w-]{43})$/.exec(ticket) ?? []
  const lease = { jobId, fence: Number(digits) }
  const isOurs = cipher.isSigned(Buffer.from(signature, 'base64url'), signed({ ...lease, bundleId }), purpose)
  return isOurs ? lease : null
}
