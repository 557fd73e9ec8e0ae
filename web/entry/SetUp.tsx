import { useLocation } from 'wouter'
import { clearQueries } from '../shared/api/queries.ts'
import { Page } from '../shared/components/Page.tsx'
import { usedUp } from '../shared/format/used-up.ts'
import { EmailField } from '../shared/forms/EmailField.tsx'
import { Form } from '../shared/forms/Form.tsx'
import { NameField } from '../shared/forms/NameField.tsx'
import { NewPasswordField } from '../shared/forms/NewPasswordField.tsx'
import { useLinkSecret } from '../shared/routing/link-secret.ts'
import { setUp } from './endpoints.ts'

export function SetUp() {
  const secret = useLinkSecret()
  const [, navigate] = useLocation()

  function goOn() {
    clearQueries()
    navigate('/account', { replace: true })
  }

  if (secret === null) return <SetUpWithoutLink />
  return (
    <Page
      heading="Set up Accounts"
      lead="This service keeps the accounts of your people and organizations. You make the first account: it is the administrator’s."
    >
      <Form
        send={(value) =>
          setUp({ token: secret, name: value('name'), email: value('email'), password: value('password') })
        }
        onDone={goOn}
        submitLabel="Create administrator"
        pendingLabel="Creating…"
        sentences={usedUp('Start the service again: while there is no administrator, its output shows a new link.')}
      >
        <NameField />
        <EmailField hint="Letters from this service, such as for a forgotten password, go here." />
        <NewPasswordField name="password" label="Password" />
      </Form>
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
