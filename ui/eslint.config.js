import svelte from 'eslint-plugin-svelte';
import ts from 'typescript-eslint';

const text_only = 'Names come from strangers: build text nodes and elements, never HTML from strings.';

export default ts.config(
  { ignores: ['dist', 'node_modules', 'src/generated'] },
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser } },
  },
  {
    rules: {
      'no-console': 'error',
      'svelte/no-at-html-tags': 'error',
      // Plain sets and maps are used where nothing watches them.
      'svelte/prefer-svelte-reactivity': 'off',
      // `{' '}` keeps a space that the compiler would take.
      'svelte/no-useless-mustaches': 'off',
      'svelte/require-each-key': 'error',
      'no-restricted-properties': [
        'error',
        ...['innerHTML', 'outerHTML', 'insertAdjacentHTML'].map((property) => ({ property, message: text_only })),
        { object: 'document', property: 'write', message: text_only },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'NewExpression[callee.property.name=/^(NumberFormat|DateTimeFormat|RelativeTimeFormat|PluralRules)$/][arguments.length=0]',
          message: 'Name the locale: the default one can be invalid and throw.',
        },
        {
          selector: "SvelteAttribute[key.name='style']",
          message: 'A strict CSP refuses style attributes: use a class, or a style: directive, which goes through the DOM.',
        },
      ],
      'no-restricted-globals': ['error', { name: 'eval', message: text_only }],
    },
  },
  {
    files: ['src/**'],
    ignores: ['src/api/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: ['@tauri-apps/*'], message: 'Only src/api knows what stands behind the page.' }] },
      ],
      'no-restricted-globals': [
        'error',
        { name: 'fetch', message: 'Only src/api knows what stands behind the page.' },
        { name: 'EventSource', message: 'Only src/api knows what stands behind the page.' },
      ],
    },
  },
);
