import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { useCaller } from '../api/caller.ts'
import { twoStepQuery } from '../api/two-step.ts'
import { Notice } from '../components/Notice.tsx'
import { requirementSentence } from './requirement-sentence.ts'

/** For users whom the service or an organization asks for two-step verification. */
export function TwoStepBanner() {
  const { session } = useCaller()
  const { data: status } = useQuery({ ...twoStepQuery, enabled: !session.impersonatedBy })
  if (!status || status.isSatisfied || status.requiredBy.length === 0) return null
  return (
    <Notice kind="information">
      <p>
        {requirementSentence(status.requiredBy)}{' '}
        {status.enabled ? (
          'You signed in without a code: sign out, and sign in again.'
        ) : (
          <Link href="/account/security#two-step">Set it up</Link>
        )}
      </p>
    </Notice>
  )
}
