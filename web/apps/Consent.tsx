import { useImpersonatedName } from '../shared/api/impersonation.ts'
import type { Caller } from '../shared/api/queries.ts'
import { hasCode } from '../shared/api/request-failed.ts'
import { AccountLink } from '../shared/components/AccountLink.tsx'
import { AnswerButtons } from '../shared/components/AnswerButtons.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Page } from '../shared/components/Page.tsx'
import type { Sentences } from '../shared/format/failure-sentence.ts'
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
import { SharedData } from './SharedData.tsx'
import { useAnswer } from './use-answer.ts'

const SENTENCES: Sentences = {
  ORGANIZATION_NOT_FOUND: 'Your organizations have changed. Look again at what the app gets, then answer.',
}

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
    (accept: boolean) => reloadIfChanged(answerConsent(accept, organizations[0]?.id), refetch),
    (url) => resume({ ...destinationOf(interaction), url }),
  )

  if (isUnknownInteraction(error)) return <UnknownInteraction />
  return (
    <Page heading={`Share your data with ${client.name}?`} after={<NotYou user={user} />}>
      <AppSummary client={client} redirectOrigin={redirectOrigin} />
      <SharedData client={client} scopes={scopes} user={user} organizations={organizations} />
      {error && <FailureNotice error={error} sentences={SENTENCES} />}
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

/** The service refuses if the app would see another organization than the page showed. */
async function reloadIfChanged(answered: Promise<string>, reload: () => Promise<unknown>): Promise<string> {
  try {
    return await answered
  } catch (refusal) {
    if (hasCode(refusal, 'ORGANIZATION_NOT_FOUND')) await reload()
    throw refusal
  }
}

/** The service refuses both answers to staff who impersonate the user. */
function OnlyTheUser({ impersonatedName }: { impersonatedName: string }) {
  return (
    <>
      <p className="hint">You are impersonating {impersonatedName}. Only the user can answer.</p>
      <AccountLink kind="quiet" />
    </>
  )
}
