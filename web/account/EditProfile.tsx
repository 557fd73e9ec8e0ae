import { useState } from 'react'
import { authentication } from '../shared/api/authentication.ts'
import { type Caller, queryClient, sessionQuery } from '../shared/api/queries.ts'
import { Notice } from '../shared/components/Notice.tsx'
import { Form } from '../shared/forms/Form.tsx'
import { NameField } from '../shared/forms/NameField.tsx'
import { PictureField } from './PictureField.tsx'

export function EditProfile({ user }: Pick<Caller, 'user'>) {
  const [isSaved, setSaved] = useState(false)

  async function showSaved() {
    await queryClient.invalidateQueries(sessionQuery)
    setSaved(true)
  }

  return (
    <section className="card" aria-labelledby="profile">
      <h2 id="profile">What others see</h2>
      {isSaved && <Notice kind="success">Saved.</Notice>}
      <Form
        send={(value) => {
          setSaved(false)
          return authentication.updateUser({ name: value('name').trim(), image: value('image') || null })
        }}
        onDone={showSaved}
        submitLabel="Save"
        pendingLabel="Saving…"
      >
        <NameField defaultValue={user.name} />
        <PictureField name="image" owner={user.name} defaultValue={user.image} />
      </Form>
    </section>
  )
}
