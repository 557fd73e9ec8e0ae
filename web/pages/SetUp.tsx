import { setUp } from '../api/own-endpoints.ts'
import { forgetVisitor } from '../api/queries.ts'
import { EmailField } from '../components/EmailField.tsx'
import { EntryForm } from '../components/EntryForm.tsx'
import { NameField } from '../components/NameField.tsx'
import { NewPasswordField } from '../components/NewPasswordField.tsx'
import { Page } from '../components/Page.tsx'
import { useLinkSecret } from '../routing/link-secret.ts'
import { replaceWith } from '../routing/navigation.ts'
import { usedUp } from '../words/used-up.ts'

export function SetUp() {
  const { secret } = useLinkSecret()
  if (secret === null) return <SetUpWithoutLink />
  return (
    <Page
      heading="Set up Accounts"
      lead="This service keeps the accounts of your people and organizations. You make the first account: it is the administrator’s."
    >
      <EntryForm
        send={(value) =>
          setUp({ token: secret, name: value('name'), email: value('email'), password: value('password') })
        }
        onDone={enter}
        submitLabel="Create administrator"
        pendingLabel="Creating…"
        sentences={usedUp('Start the service again: while there is no administrator, its output shows a new link.')}
      >
        <NameField />
        <EmailField hint="Letters from this service, such as for a forgotten password, go here." />
        <NewPasswordField name="password" label="Password" />
      </EntryForm>
    </Page>
  )
}

function SetUpWithoutLink() {
  return (
    <Page
      heading="Set up Accounts"
      lead="The first administrator’s account is made with a link that only you can see. Find it in the output of the service, where it was started:"
    >
      <p className="sample">…/setup#…</p>
      <p className="soft">
        The link works once. If it is used up, or you can’t find it, start the service again: while there is no
        administrator, it prints a new one.
      </p>
    </Page>
  )
}

function enter() {
  forgetVisitor()
  replaceWith('/account')
}
