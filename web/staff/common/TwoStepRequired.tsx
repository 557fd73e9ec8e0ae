import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { useCaller } from '../../shared/api/caller.ts'
import { passkeysQuery } from '../../shared/api/passkeys.ts'
import { refreshPages } from '../../shared/api/queries.ts'
import { twoStepQuery } from '../../shared/api/two-step.ts'
import { FailureNotice } from '../../shared/components/FailureNotice.tsx'
import { FramePage } from '../../shared/components/FramePage.tsx'
import { Skeleton } from '../../shared/components/Skeleton.tsx'
import { VerifyPasskeyButton } from '../../shared/components/VerifyPasskeyButton.tsx'
import type { PageState } from '../../shared/routing/page-state.ts'
import { PasskeyMissing } from '../../shared/two-step/PasskeyMissing.tsx'
import { requirementSentence } from '../../shared/two-step/requirement-sentence.ts'
import { SecondStepForm } from '../../shared/two-step/SecondStepForm.tsx'
import { wayToSecondStep } from '../../shared/two-step/way-to-second-step.ts'

/** Says who asks for two-step verification, and leads to it and back. */
export function TwoStepRequired({ onVerified }: { onVerified: () => void }) {
  const { user } = useCaller()
  const { data: status, error, refetch } = useQuery(twoStepQuery)
  const passkeys = useQuery(passkeysQuery)
  const isLoading = (!status && !error) || passkeys.isPending
  const way = status && wayToSecondStep(status, passkeys.data)

  function goOn() {
    // The session has a new token, and the queries contain the old one.
    refreshPages()
    onVerified()
  }

  return (
    <FramePage heading="One more step to open this page">
      <section className="card" aria-label="Two-step verification">
        {error && <FailureNotice error={error} retry={refetch} />}
        {isLoading && <Skeleton lines={3} />}
        {status && !isLoading && (
          <>
            <p>
              {requirementSentence(status.requiredBy)}{' '}
              {way === 'passkey' ? <PasskeyMissing /> : 'You signed in without it.'}
              {way === 'setup' && ' It takes about two minutes to set up.'}
            </p>
            {status.method && way === 'code' && (
              <SecondStepForm
                email={user.email}
                step={{ method: status.method, isCodeSent: false }}
                submitLabel="Go on"
                onDone={goOn}
              />
            )}
            {way === 'setup' && (
              <Link
                className="button button-main"
                href="/account/security#two-step"
                state={{ returnTo: location.pathname + location.search } satisfies PageState}
              >
                Set up two-step verification
              </Link>
            )}
            <VerifyPasskeyButton kind={way === 'passkey' ? 'main' : 'quiet'} onDone={goOn} />
          </>
        )}
      </section>
    </FramePage>
  )
}
