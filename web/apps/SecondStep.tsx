import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { TwoStep } from '../security/two-step/TwoStep.tsx'
import { passkeysQuery } from '../shared/api/passkeys.ts'
import type { Caller } from '../shared/api/queries.ts'
import { type TwoStepStatus, twoStepQuery } from '../shared/api/two-step.ts'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Loading } from '../shared/components/Loading.tsx'
import { Page } from '../shared/components/Page.tsx'
import { PasskeyButton } from '../shared/components/PasskeyButton.tsx'
import type { Interaction } from '../shared/interaction/interaction.ts'
import { requirementSentence } from '../shared/two-step/requirement-sentence.ts'
import { SecondStepForm } from '../shared/two-step/SecondStepForm.tsx'
import { InteractionPage } from './InteractionPage.tsx'
import { NotYou } from './NotYou.tsx'

/** For a signed-in user whom a policy or the app asks for two-step verification. */
export function SecondStep() {
  return (
    <InteractionPage heading="One more step">
      {(interaction, { user }) => <Verification key={user.id} interaction={interaction} user={user} />}
    </InteractionPage>
  )
}

type VerificationProps = { interaction: Interaction; user: Caller['user'] }

function Verification({ interaction, user }: VerificationProps) {
  const { client, resumeUrl } = interaction
  const { data: status, error, refetch } = useQuery(twoStepQuery)
  const [isLeaving, setLeaving] = useState(false)

  function goOn() {
    setLeaving(true)
    location.replace(resumeUrl)
  }

  return (
    <Page heading={`One more step to go on to ${client.name}`} after={<NotYou user={user} />}>
      {error && <FailureNotice error={error} retry={refetch} />}
      {((!status && !error) || isLeaving) && <Loading />}
      {status && !isLeaving && (
        <>
          <p>{sentence(status, client.name)}</p>
          <Ways status={status} email={user.email} onDone={goOn} />
        </>
      )}
    </Page>
  )
}

type WaysProps = { status: TwoStepStatus; email: string; onDone: () => void }

/** The set-up stays until its recovery codes are kept: the first code already turns two-step verification on. */
function Ways({ status, email, onDone }: WaysProps) {
  const [setUp] = useState(status.enabled ? null : status)
  const { data: passkeys = [] } = useQuery(passkeysQuery)
  return (
    <>
      {setUp && (
        <section className="setting-content" aria-labelledby="set-up">
          <h2 id="set-up">Set up two-step verification</h2>
          <TwoStep status={setUp} email={email} onDone={onDone} />
        </section>
      )}
      {!setUp && status.method && (
        <SecondStepForm
          email={email}
          step={{ method: status.method, isCodeSent: false }}
          submitLabel="Go on"
          onDone={onDone}
        />
      )}
      {passkeys.length > 0 && <PasskeyButton label="Use a passkey" onDone={onDone} />}
    </>
  )
}

function sentence({ requiredBy, enabled }: TwoStepStatus, appName: string): string {
  const requirement =
    requiredBy.length > 0 ? requirementSentence(requiredBy) : `${appName} asks for two-step verification.`
  return enabled ? requirement : `${requirement} It takes about two minutes to set up.`
}
