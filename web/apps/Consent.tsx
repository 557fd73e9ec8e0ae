import { useImpersonatedName } from '../shared/api/impersonation.ts'
import type { Caller } from '../shared/api/queries.ts'
import { AccountLink } from '../shared/components/AccountLink.tsx'
import { AnswerButtons } from '../shared/components/AnswerButtons.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Page } from '../shared/components/Page.tsx'
import { UnknownInteraction } from '../shared/interaction/InteractionProblem.tsx'
import {
  destinationOf,
  type Interaction,
  isUnknownInteraction,
  useInteraction,
} from '../shared/interaction/interaction.ts'
import { resume } from '../shared/interaction/resume.ts'
import { AppSummary } from './AppSummary.tsx'
import { answerConsent } from './endpoints.ts'
import { InteractionPage } from './InteractionPage.tsx'
import { NotYou } from './NotYou.tsx'
import { ORGANIZATIONS_CHANGED, reloadAfter } from './outdated-page.ts'
import { SharedData } from './SharedData.tsx'
import { useAnswer } from './use-answer.ts'

/** Asks the user before an app sees their data for the first time. */
export function Consent() {
  return (
    <InteractionPage heading="One moment">
      {(interaction, { user }) => <Question key={user.id} interaction={interaction} user={user} />}
    </InteractionPage>
  )
}

/** After an answer the buttons do nothing, because the app opens. */
function Question({ interaction, user }: { interaction: Interaction; user: Caller['user'] }) {
  const { client, redirectOrigin, scopes, organizations } = interaction
  const impersonatedName = useImpersonatedName()
  const { refetch } = useInteraction()
  const { answer, isBusy, error, given } = useAnswer(
    (accept: boolean) => {
      const answered = answerConsent(accept, organizations[0]?.id)
      return reloadAfter(['ORGANIZATION_NOT_FOUND'], answered, () => refetch({ throwOnError: true }))
    },
    (url) => resume({ ...destinationOf(interaction), url }),
  )

  if (isUnknownInteraction(error)) return <UnknownInteraction />
  return (
    <Page heading={`Share your data with ${client.name}?`} after={<NotYou user={user} />}>
      <AppSummary client={client} redirectOrigin={redirectOrigin} />
      <SharedData client={client} scopes={scopes} user={user} organizations={organizations} />
      {error && <FailureNotice error={error} sentences={ORGANIZATIONS_CHANGED} />}
      {impersonatedName === null ? (
        <AnswerButtons
          yes={{ label: 'Allow', pendingLabel: 'One moment…' }}
          no={{ label: 'Don’t allow', pendingLabel: 'One moment…' }}
          pending={isBusy ? given : undefined}
          onAnswer={answer}
        />
      ) : (
        <OnlyTheUser impersonatedName={impersonatedName} />
      )}
    </Page>
  )
}

/** The service refuses both answers to staff who impersonate the user. */
function OnlyTheUser({ impersonatedName }: { impersonatedName: string }) {
  return (
    <>
      <p className="hint">
        You are impersonating <bdi>{impersonatedName}</bdi>. Only the user can answer.
      </p>
      <AccountLink kind="quiet" />
    </>
  )
}
