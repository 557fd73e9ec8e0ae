import { useState } from 'react'
import { Loading } from '../shared/components/Loading.tsx'
import { Page } from '../shared/components/Page.tsx'
import { destinationOf, type Interaction } from '../shared/interaction/interaction.ts'
import { resume } from '../shared/interaction/resume.ts'
import { InteractionPage } from './InteractionPage.tsx'
import { NotYou } from './NotYou.tsx'
import { VerifyTwoStep } from './VerifyTwoStep.tsx'

/** For a signed-in user whom a policy or the app asks for two-step verification. */
export function SecondStep() {
  const [isLeaving, setLeaving] = useState(false)

  function goOn(interaction: Interaction) {
    setLeaving(true)
    resume(destinationOf(interaction))
  }

  return (
    <InteractionPage heading="One more step">
      {(interaction, { user }) => (
        <Page heading={`One more step to go on to ${interaction.client.name}`} after={<NotYou user={user} />}>
          {isLeaving ? (
            <Loading />
          ) : (
            <VerifyTwoStep
              key={user.id}
              appName={interaction.client.name}
              email={user.email}
              onDone={() => goOn(interaction)}
            />
          )}
        </Page>
      )}
    </InteractionPage>
  )
}
