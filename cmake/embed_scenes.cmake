# Puts the scenes that `frazil validate`, `frazil bench` and `make demo` use into the library, so that the program works
# from any folder. One generated C file; rebuilt when a scene changes.
file(GLOB FRZ_SCENE_FILES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/scenes/*.yaml
    ${CMAKE_CURRENT_SOURCE_DIR}/scenes/validation/*.yaml)
set(FRZ_EMBEDDED_SCENES ${CMAKE_CURRENT_BINARY_DIR}/embedded_scenes.c)
add_custom_command(
    OUTPUT ${FRZ_EMBEDDED_SCENES}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${FRZ_EMBEDDED_SCENES} "-DFILES=${FRZ_SCENE_FILES}"
        -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/write_embedded.cmake
    DEPENDS ${FRZ_SCENE_FILES} ${CMAKE_CURRENT_SOURCE_DIR}/cmake/write_embedded.cmake
    VERBATIM)
