import type { Caller } from '../shared/api/queries.ts'
import { AccountLink } from '../shared/components/AccountLink.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Monogram } from '../shared/components/Monogram.tsx'
import { Page } from '../shared/components/Page.tsx'
import { useWasSeen } from '../shared/components/use-was-seen.ts'
import { organizationRoleName } from '../shared/format/role-name.ts'
import { UnknownInteraction } from '../shared/interaction/InteractionProblem.tsx'
import { destinationOf, type Interaction, isUnknownInteraction } from '../shared/interaction/interaction.ts'
import { resume } from '../shared/interaction/resume.ts'
import { chooseOrganization } from './endpoints.ts'
import { InteractionPage } from './InteractionPage.tsx'
import { NotYou } from './NotYou.tsx'
import { useAnswer } from './use-answer.ts'

/** For an app that works in one organization, and a user who is a member of several organizations. */
export function ChooseOrganization() {
  return (
    <InteractionPage heading="Choose an organization">
      {(interaction, { user }) => <Choice key={user.id} interaction={interaction} user={user} />}
    </InteractionPage>
  )
}

function Choice({ interaction, user }: { interaction: Interaction; user: Caller['user'] }) {
  const { client, organizations } = interaction
  const wasSeen = useWasSeen()
  const { answer, isBusy, error, given } = useAnswer(chooseOrganization, (url) =>
    resume({ ...destinationOf(interaction), url }),
  )
  if (isUnknownInteraction(error)) return <UnknownInteraction />
  if (organizations.length === 0) return <NoOrganization appName={client.name} user={user} />
  return (
    <Page
      heading="Choose an organization"
      lead={`${client.name} will see its name and your role in it.`}
      after={<NotYou user={user} />}
    >
      {error && <FailureNotice error={error} />}
      <ul className="tiles" aria-label="Your organizations">
        {organizations.map(({ id, name, slug, logo, role }) => (
          <li key={id}>
            <button
              type="button"
              className={`${wasSeen ? '' : 'unseen '}tile tile-button`}
              aria-disabled={isBusy || !wasSeen}
              onClick={() => wasSeen && answer(id)}
            >
              <Monogram name={name} image={logo} />
              <span>
                {name}
                <span className="soft" aria-live="polite">
                  {isBusy && given === id ? 'One moment…' : `${organizationRoleName(role)}, ${slug}`}
                </span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Page>
  )
}

function NoOrganization({ appName, user }: { appName: string; user: Caller['user'] }) {
  return (
    <Page
      heading="You are in no organization"
      lead={`${appName} works in an organization. Ask an owner or admin of the organization to invite ${user.email}.`}
      after={<NotYou user={user} />}
    >
      <AccountLink />
    </Page>
  )
}
