import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { twoStepQuery } from '../shared/api/two-step.ts'
import { Notice } from '../shared/components/Notice.tsx'

/** For owners who are about to require a second step that they do not have: they would lose their own permissions. */
export function OwnStepMissing({ organizationName }: { organizationName: string }) {
  const { data: status } = useQuery(twoStepQuery)
  if (!status || status.enabled) return null
  return (
    <Notice kind="information">
      <p>
        You have no two-step verification yourself. <Link href="/account/security#two-step">Set it up</Link> first, or
        sign in with a passkey. Without it, you get no tokens for {organizationName}, and can’t change its API keys,
        apps, owners or this requirement.
      </p>
    </Notice>
  )
}
