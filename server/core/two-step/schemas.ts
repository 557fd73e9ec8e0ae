import { Type } from 'typebox'

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
