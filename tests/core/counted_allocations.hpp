// SPDX-License-Identifier: LGPL-2.1-or-later
// Counts every allocation of the program. Defines the global operators: include it in one file of a program.
#pragma once

#include <cstdlib>
#include <new>

namespace test {

inline long allocations = 0;

}  // namespace test

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// A sanitizer has its own operators and its own malloc, and says when they are called.
// Declared here: not every compiler comes with sanitizer/allocator_interface.h.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void*, std::size_t),
                                                         void (*freed)(const volatile void*));
[[maybe_unused]] static const bool counting = [] {
    __sanitizer_install_malloc_and_free_hooks([](const volatile void*, std::size_t) { ++test::allocations; },
                                              [](const volatile void*) {});
    ::operator delete(::operator new(1));  // what a program does before main() went uncounted
    return true;
}();
#else
void* operator new(std::size_t size)
{
    ++test::allocations;
    if (void* memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment)
{
    ++test::allocations;
    const auto unit = static_cast<std::size_t>(alignment);
    if (void* memory = std::aligned_alloc(unit, (size + unit - 1) / unit * unit)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept
{
    std::free(memory);
}

#if defined(__GLIBC__)
// Eigen allocates with malloc, past operator new.
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size)
{
    ++test::allocations;
    return __libc_malloc(size);
}
#endif
#endif
