import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { TwoStep } from '../security/two-step/TwoStep.tsx'
import { type TwoStepStatus, twoStepQuery } from '../shared/api/two-step.ts'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Loading } from '../shared/components/Loading.tsx'
import { VerifyPasskeyButton } from '../shared/components/VerifyPasskeyButton.tsx'
import { requirementSentence } from '../shared/two-step/requirement-sentence.ts'
import { SecondStepForm } from '../shared/two-step/SecondStepForm.tsx'

type VerifyTwoStepProps = { appName: string; email: string; onDone: () => void }

/** Says who asks for two-step verification, and takes a code, a passkey, or the setup. */
export function VerifyTwoStep({ appName, email, onDone }: VerifyTwoStepProps) {
  const { data: status, error, refetch } = useQuery(twoStepQuery)
  // A later failure must not take the recovery codes of the setup away.
  if (status === undefined) return error ? <FailureNotice error={error} retry={refetch} /> : <Loading />
  return (
    <>
      <p>{sentence(status, appName)}</p>
      <Ways status={status} email={email} onDone={onDone} />
    </>
  )
}

type WaysProps = { status: TwoStepStatus; email: string; onDone: () => void }

/**
 * The setup stays after its first code, which turns two-step verification on: the user must store the recovery codes.
 */
function Ways({ status, email, onDone }: WaysProps) {
  const [setUp] = useState(status.enabled ? null : status)
  const passkey = <VerifyPasskeyButton onDone={onDone} />
  if (setUp) {
    return (
      <section className="setting-content" aria-labelledby="setup">
        <h2 id="setup">Set up two-step verification</h2>
        <TwoStep status={setUp} email={email} instead={passkey} onDone={onDone} />
      </section>
    )
  }
  return (
    <>
      {status.method && (
        <SecondStepForm
          email={email}
          step={{ method: status.method, isCodeSent: false }}
          submitLabel="Go on"
          onDone={onDone}
        />
      )}
      {passkey}
    </>
  )
}

function sentence({ requiredBy, enabled }: TwoStepStatus, appName: string): string {
  const requirement =
    requiredBy.length > 0 ? requirementSentence(requiredBy) : `${appName} asks for two-step verification.`
  return enabled ? requirement : `${requirement} It takes about two minutes to set up.`
}
