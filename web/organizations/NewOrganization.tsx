import { useLocation } from 'wouter'
import { authentication } from '../shared/api/authentication.ts'
import { queryClient } from '../shared/api/queries.ts'
import { FramePage } from '../shared/components/FramePage.tsx'
import { Form } from '../shared/forms/Form.tsx'
import { TextField } from '../shared/forms/TextField.tsx'

export function NewOrganization() {
  const [, navigate] = useLocation()

  async function goOn({ slug }: { slug: string }) {
    await queryClient.invalidateQueries()
    navigate(`/organizations/${slug}`)
  }

  return (
    <FramePage heading="Create an organization" lead="You become its first owner, and invite the others.">
      <div className="card">
        <Form
          send={(value) =>
            authentication.organization.create({ name: value('name').trim(), slug: value('slug').trim() })
          }
          onDone={goOn}
          submitLabel="Create organization"
          pendingLabel="Creating…"
        >
          <TextField name="name" label="Name" autoComplete="organization" check={checkName} />
          <TextField
            name="slug"
            label="Short name in addresses"
            hint="Lower-case letters, digits and hyphens, for example example-works."
            autoComplete="off"
            check={checkSlug}
          />
        </Form>
      </div>
    </FramePage>
  )
}

function checkName(value: string): string | null {
  return value.trim() === '' ? 'Enter the name of the organization.' : null
}

function checkSlug(value: string): string | null {
  return /^[a-z0-9]+(-[a-z0-9]+)*$/.test(value.trim()) ? null : 'Use lower-case letters, digits and hyphens only.'
}
