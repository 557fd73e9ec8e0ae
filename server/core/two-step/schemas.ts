import { Type } from 'typebox'

/** The service and the organizations that require two-step verification of a user. */
export const TwoStepRequirements = Type.Array(
  Type.Union([
    Type.Object({ kind: Type.Literal('service') }),
    Type.Object({
      kind: Type.Literal('organization'),
      id: Type.String(),
      name: Type.String(),
      slug: Type.String(),
    }),
  ]),
)
