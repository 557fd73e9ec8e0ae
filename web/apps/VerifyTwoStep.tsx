import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { TwoStep } from '../security/two-step/TwoStep.tsx'
import { passkeysQuery } from '../shared/api/passkeys.ts'
import { type TwoStepStatus, twoStepQuery } from '../shared/api/two-step.ts'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Loading } from '../shared/components/Loading.tsx'
import { VerifyPasskeyButton } from '../shared/components/VerifyPasskeyButton.tsx'
import { PasskeyMissing } from '../shared/two-step/PasskeyMissing.tsx'
import { requirementSentence } from '../shared/two-step/requirement-sentence.ts'
import { SecondStepForm } from '../shared/two-step/SecondStepForm.tsx'
import { wayToSecondStep } from '../shared/two-step/way-to-second-step.ts'

type VerifyTwoStepProps = { appName: string; email: string; onDone: () => void }

export function VerifyTwoStep({ appName, email, onDone }: VerifyTwoStepProps) {
  const { data: status, error, refetch } = useQuery(twoStepQuery)
  const passkeys = useQuery(passkeysQuery)
  // A later failure must not take the recovery codes of the setup away.
  if (status === undefined) return error ? <FailureNotice error={error} retry={refetch} /> : <Loading />
  if (passkeys.isPending) return <Loading />
  const way = wayToSecondStep(status, passkeys.data)
  return (
    <>
      <p>
        {askerSentence(status, appName)} {way === 'passkey' && <PasskeyMissing />}
        {way === 'setup' && 'It takes about two minutes to set up.'}
      </p>
      <Ways status={status} way={way} email={email} onDone={onDone} />
    </>
  )
}

type WaysProps = { status: TwoStepStatus; way: ReturnType<typeof wayToSecondStep>; email: string; onDone: () => void }

/**
 * The setup stays after its first code, which turns two-step verification on: the user must store the recovery codes.
 */
function Ways({ status, way, email, onDone }: WaysProps) {
  const [setUp] = useState(way === 'setup' ? status : null)
  const passkey = <VerifyPasskeyButton kind={way === 'passkey' ? 'main' : 'quiet'} onDone={onDone} />
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

function askerSentence({ requiredBy }: TwoStepStatus, appName: string): string {
  return requiredBy.length > 0 ? requirementSentence(requiredBy) : `${appName} asks for two-step verification.`
}
