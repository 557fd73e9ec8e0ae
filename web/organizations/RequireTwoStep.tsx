import { Choice } from '../shared/forms/Choice.tsx'
import { Form } from '../shared/forms/Form.tsx'
import type { Overview } from './queries.ts'
import { updateOrganization } from './update-organization.ts'

/** Members without two-step verification stay members, but get no tokens. */
export function RequireTwoStep({ organization }: { organization: Overview['organization'] }) {
  const { name, requireTwoFactor } = organization
  return (
    <Form
      send={(value) => updateOrganization(organization, { requireTwoFactor: value('requireTwoFactor') === 'on' })}
      doneNotice={() => 'Saved.'}
      submitLabel="Save the requirement"
      pendingLabel="Saving…"
    >
      <Choice
        key={String(requireTwoFactor)}
        type="checkbox"
        name="requireTwoFactor"
        label="Require two-step verification"
        isChosen={requireTwoFactor}
      >
        Members must sign in with a code after their password, or with a passkey. Otherwise they get no tokens, so your
        services don’t let them into {name}. They stay members, and these pages lead them through the setup. API keys go
        on working.
      </Choice>
    </Form>
  )
}
