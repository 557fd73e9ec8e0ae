import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { useCaller } from '../api/caller.ts'
import { twoStepQuery } from '../api/two-step.ts'
import { Notice } from '../components/Notice.tsx'
import { requirementSentence } from './requirement-sentence.ts'

type TwoStepBannerProps = {
  /** On the page of an organization, its id: the banner does not show what other organizations require. */
  organizationId?: string
}

/** For users whom the service or an organization asks for two-step verification. */
export function TwoStepBanner({ organizationId }: TwoStepBannerProps) {
  const { session } = useCaller()
  const { data: status } = useQuery({ ...twoStepQuery, enabled: !session.impersonatedBy })
  if (!status || status.isSatisfied) return null
  const requiredBy = status.requiredBy.filter(
    (by) => organizationId === undefined || by.kind === 'service' || by.id === organizationId,
  )
  if (requiredBy.length === 0) return null
  return (
    <Notice kind="information">
      <p>
        {requirementSentence(requiredBy)}{' '}
        {status.enabled ? (
          'You signed in without a code: sign out, and sign in again.'
        ) : (
          <Link href="/account/security#two-step">Set it up</Link>
        )}
      </p>
    </Notice>
  )
}
