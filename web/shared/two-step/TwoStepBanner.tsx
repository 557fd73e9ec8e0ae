import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { useCaller } from '../api/caller.ts'
import { passkeysQuery } from '../api/passkeys.ts'
import { refreshPages } from '../api/queries.ts'
import { twoStepQuery } from '../api/two-step.ts'
import { Notice } from '../components/Notice.tsx'
import { VerifyPasskeyButton } from '../components/VerifyPasskeyButton.tsx'
import { PasskeyMissing } from './PasskeyMissing.tsx'
import { requirementSentence } from './requirement-sentence.ts'
import { wayToSecondStep } from './way-to-second-step.ts'

type TwoStepBannerProps = {
  /** On the page of an organization, its id: the banner does not show what other organizations require. */
  organizationId?: string
}

const ADVICE = {
  code: 'You signed in without a code: sign out, and sign in again.',
  passkey: <PasskeyMissing />,
  setup: <Link href="/account/security#two-step">Set it up</Link>,
}

/** For users whom the service or an organization asks for two-step verification. */
export function TwoStepBanner({ organizationId }: TwoStepBannerProps) {
  const { session } = useCaller()
  const { data: status } = useQuery({ ...twoStepQuery, enabled: !session.impersonatedBy })
  const passkeys = useQuery({ ...passkeysQuery, enabled: status?.isSatisfied === false })
  if (!status || status.isSatisfied || passkeys.isPending) return null
  const requiredBy = status.requiredBy.filter(
    (by) => organizationId === undefined || by.kind === 'service' || by.id === organizationId,
  )
  if (requiredBy.length === 0) return null
  return (
    <Notice kind="information">
      <p>
        {requirementSentence(requiredBy)} {ADVICE[wayToSecondStep(status, passkeys.data)]}
      </p>
      <VerifyPasskeyButton onDone={refreshPages} />
    </Notice>
  )
}
