import { Choice } from '../shared/forms/Choice.tsx'
import { Form } from '../shared/forms/Form.tsx'
import { OutdatedNotice } from '../shared/forms/OutdatedNotice.tsx'
import { useStoredTexts } from '../shared/forms/use-stored-texts.ts'
import type { Overview } from './queries.ts'
import { updateOrganization } from './update-organization.ts'

/** Members without two-step verification stay members, but get no tokens. */
export function RequireTwoStep({ organization }: { organization: Overview['organization'] }) {
  const { name, requireTwoFactor } = organization
  const { field, outdated, save } = useStoredTexts({ requirement: requireTwoFactor ? 'on' : '' })
  const { value, onChange } = field('requirement')
  const isChosen = value === 'on'
  return (
    <>
      {outdated.length > 0 && <OutdatedNotice about="The requirement" />}
      <Form
        send={() => save(() => updateOrganization(organization, { requireTwoFactor: isChosen }))}
        doneNotice={(isChanged) => (isChanged ? 'Saved.' : 'You changed nothing. The box shows what is stored.')}
        submitLabel="Save the requirement"
        pendingLabel="Saving…"
      >
        <Choice
          type="checkbox"
          name="requireTwoFactor"
          label="Require two-step verification"
          isChosen={isChosen}
          onChange={(chosen) => onChange(chosen ? 'on' : '')}
        >
          Members must sign in with a code after their password, or with a passkey. Otherwise they get no tokens, so
          your services don’t let them into {name}. They stay members, and these pages lead them through the setup. API
          keys go on working.
        </Choice>
      </Form>
    </>
  )
}
